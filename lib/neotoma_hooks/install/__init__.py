"""Registers our hooks in the settings files of coding agents, and takes them out again without a trace.

`registering` is the room's face: `install`, `uninstall`, `status`. Below it, each module knows one thing. `formats`
knows which format an agent's settings have and which files make up a registration; `format` is what is asked of one,
and `claude_format`, `flat_format`, `kiro_format`, `kimi_format` and `whole_file` each are one. `json_format` is what
those in JSON share: `json_text` reads JSON with positions, `json_edit` changes it in place, `json_style` makes what is
new look like what is there, `json_refusals` says what is wrong; `toml_text` is what TOML takes. `commands` knows which
command lines are ours, `steps` changes several files or none, `settings_file` reads and replaces one, `records`
remembers what was there before, `codex_trust` tells whether Codex will run what is registered.
"""
