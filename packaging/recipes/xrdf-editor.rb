cask "xrdf-editor" do
  version "VERSION"
  sha256 "SHA256:xrdf-editor-VERSION-macos-arm64.dmg"

  url "https://github.com/OWNER/REPOSITORY/releases/download/v#{version}/xrdf-editor-#{version}-macos-arm64.dmg"
  name "XRDF Editor"
  desc "Desktop editor for robot descriptions (XRDF, URDF, SRDF)"
  homepage "https://github.com/OWNER/REPOSITORY"

  depends_on arch: :arm64

  app "XRDF Editor.app"
  binary "#{appdir}/XRDF Editor.app/Contents/MacOS/xrdf-editor"

  zap trash: [
    "~/Library/Application Support/xrdf-editor",
    "~/Library/Caches/xrdf-editor",
    "~/Library/Preferences/xrdf-editor",
  ]
end
