"use strict";

// Starts `xrdf-editor lsp`, and shows what it says. Everything else is the language server's.

const { spawn } = require("node:child_process");
const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const SETTINGS = "config/joint_limits.yaml,config/kinematics.yaml,config/initial_positions.yaml";
const PATTERN = `**/{*.xrdf,*.xrdf.yaml,*.xrdf.yml,*.urdf,*.srdf,${SETTINGS}}`;

let client;

function settings() {
  const configured = workspace.getConfiguration("xrdfEditor");
  return { command: configured.get("command"), profile: configured.get("profile") };
}

async function start() {
  const { command, profile } = settings();
  const server = { command, args: ["lsp", "--profile", profile] };
  client = new LanguageClient("xrdfEditor", "XRDF Editor", server, {
    documentSelector: [{ scheme: "file", pattern: PATTERN }],
  });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    window.showErrorMessage(
      `"${command} lsp" could not be started: install XRDF Editor (from its sources with the extra lsp), ` +
        `or set xrdfEditor.command to where the program is. ${error.message ?? error}`,
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

function open(file) {
  const path = file?.fsPath ?? window.activeTextEditor?.document.uri.fsPath;
  if (path === undefined) {
    return;
  }
  const child = spawn(settings().command, [path], { detached: true, stdio: "ignore" });
  child.on("error", (error) => window.showErrorMessage(`The window could not be opened: ${error.message}`));
  child.unref();
}

async function activate(context) {
  context.subscriptions.push(
    commands.registerCommand("xrdfEditor.open", open),
    workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("xrdfEditor")) {
        await stop();
        await start();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
