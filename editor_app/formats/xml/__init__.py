"""XML with the place of everything in it, and edits that leave every other character as it was."""

from editor_app.formats.xml.document import XmlAttribute, XmlDocument, XmlElement, numbers_in, parse_xml
from editor_app.formats.xml.splices import (
    NewElement,
    Splice,
    apply_splices,
    delete_element,
    insert_elements,
    remove_attribute,
    set_attribute,
    set_text,
)

__all__ = [
    "NewElement",
    "Splice",
    "XmlAttribute",
    "XmlDocument",
    "XmlElement",
    "apply_splices",
    "delete_element",
    "insert_elements",
    "numbers_in",
    "parse_xml",
    "remove_attribute",
    "set_attribute",
    "set_text",
]
