"""Looks of COLLADA: what a symbol of triangles is bound to, down to the colour or the picture."""

from __future__ import annotations

import binascii
from dataclasses import dataclass

from editor_app.formats.foreign.collada.documents import Documents
from editor_app.formats.foreign.collada.transforms import floats
from editor_app.formats.xml import XmlElement

Rgba = tuple[float, float, float, float]


@dataclass(frozen=True)
class Look:
    """`picture` is (file name, content); `rgba` stands for it where pictures are not shown."""

    rgba: Rgba | None = None
    picture: tuple[str, bytes] | None = None


def looks(documents: Documents, instance: XmlElement) -> dict[str, Look]:
    """Symbol -> look, for one <instance_geometry>."""
    by_symbol: dict[str, Look] = {}
    for bound in (e for e in instance.walk() if e.tag == "instance_material"):
        material = documents.find(bound.get("target"), bound)
        inner = material.child("instance_effect") if material is not None else None
        effect = documents.find(inner.get("url"), inner) if inner is not None else None
        if effect is not None:
            by_symbol[bound.get("symbol") or ""] = _look(documents, effect)
    return by_symbol


def _look(documents: Documents, effect: XmlElement) -> Look:
    profile = effect.child("profile_COMMON") or effect
    diffuse = next((e for e in profile.walk() if e.tag == "diffuse"), None)
    if diffuse is None:
        return Look()
    opacity = _opacity(profile)
    color = diffuse.child("color")
    values = floats(color.text) if color is not None else []
    if len(values) in (3, 4):
        r, g, b, a = (min(max(v, 0.0), 1.0) for v in (*values, 1.0)[:4])
        return Look((r, g, b, a * opacity))
    texture = diffuse.child("texture")
    image = _image(documents, profile, effect, texture.get("texture") or "") if texture is not None else None
    return Look((1.0, 1.0, 1.0, opacity) if image is not None else None, image)


def _image(documents: Documents, profile: XmlElement, effect: XmlElement, name: str) -> tuple[str, bytes] | None:
    """Through sampler, surface and image (1.4), or sampler and instance_image (1.5), or the image at once."""
    image = _image_element(documents, profile, effect, name)
    start = image.child("init_from") if image is not None and image.tag == "image" else None
    if image is None or start is None:
        return None
    reference, embedded = start.child("ref"), start.child("hex")
    if embedded is not None:
        try:
            suffix = (embedded.get("format") or "png").lower().lstrip(".")
            suffix = suffix if suffix.isalnum() else "png"
            return f"{image.get('id') or 'image'}.{suffix}", binascii.unhexlify("".join(embedded.text.split()))
        except (ValueError, binascii.Error):
            return None
    text = reference.text if reference is not None else start.text
    return documents.image(text, start) if text else None


def _image_element(documents: Documents, profile: XmlElement, effect: XmlElement, name: str) -> XmlElement | None:
    params = {e.get("sid"): e for e in (*effect.walk(), *profile.walk()) if e.tag == "newparam"}
    for _ in range(4):
        param = params.get(name)
        if param is None:
            return documents.of(effect).ids.get(name)
        instance = next((e for e in param.walk() if e.tag == "instance_image"), None)
        if instance is not None:
            return documents.find(instance.get("url"), instance)
        inner = next((e for e in param.walk() if e.tag in ("source", "init_from")), None)
        name = inner.text if inner is not None else ""
    return None


def _opacity(profile: XmlElement) -> float:
    """1 unless it is surely see-through; writers say 0 for opaque by mistake, which counts as 1."""

    def number(tag: str) -> float | None:
        element = next((e for e in profile.walk() if e.tag == tag), None)
        inner = element.child("float") if element is not None else None
        values = floats(inner.text) if inner is not None else []
        return values[0] if values else None

    factor = number("transparency")
    factor = 1.0 if factor is None else factor
    transparent = next((e for e in profile.walk() if e.tag == "transparent"), None)
    color = transparent.child("color") if transparent is not None else None
    values = floats(color.text) if color is not None else []
    if transparent is not None and len(values) == 4:
        if (transparent.get("opaque") or "A_ONE").upper().endswith("RGB_ZERO"):
            factor = 1.0 - factor * (0.212671 * values[0] + 0.715160 * values[1] + 0.072169 * values[2])
        else:
            factor *= values[3]
    return factor if 0.0 < factor <= 1.0 else 1.0
