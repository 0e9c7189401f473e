"""Registers our hooks in the settings files of coding agents, and takes them out again without a trace.

`registering` is the room's face: `install`, `uninstall`, `status`. Below it, each module knows one thing: `json_text`
reads JSON with positions, `json_edit` changes it in place, `claude_format` knows where hooks stand in it, `commands`
knows which command lines are ours, `settings_file` reads and replaces files, `records` remembers what was there
before, `loading` and `codex_config` know when an agent will not run what is registered, `trying` runs it once.
"""
