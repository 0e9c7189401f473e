// neotoma-hooks for opencode: tells the hooks what was asked and what was said, and hands their context to the model.
// Written by `neotoma-hooks install opencode` and removed by `neotoma-hooks uninstall opencode`; changes are lost.

import { spawn, spawnSync } from "node:child_process"

// Hook name -> the program and its arguments
const COMMANDS = /* commands */ {}

// The hooks keep to a budget of their own; this is for the day they do not
const LIMIT_MS = 5000
const MOST_REMEMBERED = 64

const textOf = (parts) =>
  (parts ?? [])
    .filter((part) => part?.type === "text" && !part.synthetic && !part.ignored && typeof part.text === "string")
    .map((part) => part.text)
    .join("\n")

// Runs a hook and resolves to its JSON answer, null when there is none; never rejects
const ask = (hook, event) =>
  new Promise((resolve) => {
    const command = COMMANDS[hook]
    if (!command) return resolve(null)
    let child
    let out = ""
    const timer = setTimeout(() => {
      child?.kill("SIGKILL")
      resolve(null)
    }, LIMIT_MS)
    const done = () => {
      clearTimeout(timer)
      try {
        resolve(out ? JSON.parse(out) : null)
      } catch {
        resolve(null)
      }
    }
    try {
      child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
      child.on("error", done)
      child.on("close", done)
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (piece) => (out += piece))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(event))
    } catch {
      done()
    }
  })

// At the end of a turn opencode does not wait for plugins and may be about to exit, so this one waits itself
const tell = (hook, event) => {
  const command = COMMANDS[hook]
  if (!command) return
  try {
    spawnSync(command[0], command.slice(1), {
      input: JSON.stringify(event),
      stdio: ["pipe", "ignore", "ignore"],
      timeout: LIMIT_MS,
      killSignal: "SIGKILL",
      windowsHide: true,
    })
  } catch {}
}

export const NeotomaHooks = async ({ directory }) => {
  const children = new Map() // session id -> the session that started it
  const errors = new Map() // session id -> what made the agent give up
  const replies = new Map() // id of an agent's message -> what is known of it
  const running = new Map() // session id -> id of the newest user message
  const ended = new Map() // id of a user message -> true once its turn's end was told

  const remember = (map, key, value) => {
    map.delete(key)
    map.set(key, value)
    while (map.size > MOST_REMEMBERED) map.delete(map.keys().next().value)
  }

  const payload = (name, session, message, more) => ({
    agent: "opencode",
    hook_event_name: name,
    session_id: session,
    message_id: message,
    cwd: directory,
    ...(children.has(session) ? { parent_session_id: children.get(session) } : {}),
    ...more,
  })

  const reply = (id) => {
    const known = replies.get(id) ?? { parts: new Map() }
    remember(replies, id, known)
    return known
  }

  const finish = (session) => {
    const answers = new Map() // id of a user message -> the last text that was said to it
    for (const [id, { session: of, parent, parts }] of replies) {
      if (of !== session || !parent) continue
      const said = [...parts.values()].join("\n")
      if (said || !answers.has(parent)) answers.set(parent, said)
      replies.delete(id)
    }
    const error = errors.get(session)
    errors.delete(session)
    const newest = running.get(session)
    if (error && newest && !answers.has(newest)) answers.set(newest, "")
    running.delete(session)
    for (const [message, said] of answers) {
      const failed = error && message === newest ? { error } : {}
      // After an error a session gets idle twice; the second time says nothing new
      if (ended.has(message) && !said && !failed.error) continue
      remember(ended, message, true)
      tell("stop", payload("session.idle", session, message, { last_assistant_message: said || null, ...failed }))
    }
  }

  const note = (type, properties) => {
    if (type === "session.created" || type === "session.updated") {
      const info = properties.info
      if (info?.parentID) remember(children, info.id, info.parentID)
    } else if (type === "message.updated") {
      const info = properties.info
      if (info?.role === "assistant" && !info.summary) {
        const known = reply(info.id)
        known.session = info.sessionID
        known.parent = info.parentID
      }
    } else if (type === "message.part.updated") {
      const part = properties.part
      if (part?.type === "text" && !part.synthetic && !part.ignored && part.text) {
        reply(part.messageID).parts.set(part.id, part.text)
      }
    } else if (type === "session.error") {
      if (properties.sessionID) remember(errors, properties.sessionID, properties.error?.name ?? "an error")
    } else if (type === "session.idle") {
      finish(properties.sessionID)
    }
  }

  return {
    "chat.message": async (input, output) => {
      try {
        const session = input.sessionID
        const message = output.message?.id ?? input.messageID
        remember(running, session, message)
        const asked = textOf(output.parts)
        const answer = await ask("prompt_submit", payload("chat.message", session, message, { prompt: asked }))
        const context = answer?.additionalContext
        if (typeof context !== "string" || !context) return
        const last = output.parts.at(-1)?.id ?? "prt_"
        // opencode keeps parts in the order of their ids, and refuses one that does not say where it belongs
        output.parts.push({
          id: `${last}0`,
          sessionID: session,
          messageID: message,
          type: "text",
          text: context,
          synthetic: true,
        })
      } catch {}
    },
    "tool.execute.after": async (input, output) => {
      try {
        if (!COMMANDS.tool_use || !String(input.tool).toLowerCase().includes("neotoma")) return
        // What a tool of an MCP server said comes as that server gave it
        const answer = { tool_name: input.tool, tool_response: output.output ?? output.content }
        await ask("tool_use", payload("tool.execute.after", input.sessionID, running.get(input.sessionID), answer))
      } catch {}
    },
    event: async ({ event }) => {
      try {
        note(event.type, event.properties ?? {})
      } catch {}
    },
  }
}
