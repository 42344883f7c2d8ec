; Inno Setup's recipe for the installer: iscc /DVersion=X /DTree=FOLDER /DOut=FOLDER packaging\bundling\windows.iss
[Setup]
AppId={{6F0B4D0E-6D1B-4C37-9E0A-0B6B6C0C7E11}
AppName=XRDF Editor
AppVersion={#Version}
AppPublisher=XRDF Editor maintainers
DefaultDirName={autopf}\XRDF Editor
DefaultGroupName=XRDF Editor
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ChangesAssociations=yes
ChangesEnvironment=yes
ArchitecturesInstallIn64BitMode=x64compatible
Compression=lzma2
SolidCompression=yes
OutputDir={#Out}
OutputBaseFilename=xrdf-editor-{#Version}-windows-x64
UninstallDisplayIcon={app}\xrdf-editor.exe

[Tasks]
Name: associate; Description: "Open .urdf, .xrdf and .srdf files with XRDF Editor"

[Files]
Source: "{#Tree}\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[Icons]
Name: "{group}\XRDF Editor"; Filename: "{app}\xrdf-editor.exe"

[Registry]
Root: HKA; Subkey: "Software\Classes\XrdfEditor.Robot"; ValueType: string; ValueData: "Robot description"; Flags: uninsdeletekey; Tasks: associate
Root: HKA; Subkey: "Software\Classes\XrdfEditor.Robot\shell\open\command"; ValueType: string; ValueData: """{app}\xrdf-editor.exe"" ""%1"""; Tasks: associate
Root: HKA; Subkey: "Software\Classes\.urdf\OpenWithProgids"; ValueType: string; ValueName: "XrdfEditor.Robot"; Flags: uninsdeletevalue; Tasks: associate
Root: HKA; Subkey: "Software\Classes\.xrdf\OpenWithProgids"; ValueType: string; ValueName: "XrdfEditor.Robot"; Flags: uninsdeletevalue; Tasks: associate
Root: HKA; Subkey: "Software\Classes\.srdf\OpenWithProgids"; ValueType: string; ValueName: "XrdfEditor.Robot"; Flags: uninsdeletevalue; Tasks: associate
