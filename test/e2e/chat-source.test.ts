/** A message of Slack or Discord becomes a task, and its thread a conversation with the agent. */
import { spawnSync } from "node:child_process"
import { expect, test } from "vitest"
import { type Chat, startDiscord, startSlack } from "../support/chat.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

const TOKEN = "token-of-robot"
/** Turn 1 asks; a later turn notes its prompt; both change something. */
const SH = `
  env >> "$STEPS/env"
  echo "turn $COPPICE_TASK.$COPPICE_TURN" >> "$STEPS/turns"
  if [ "$COPPICE_TURN" = 1 ]; then
    cat > "$STEPS/first-$COPPICE_TASK"
    coppice agent ask "Which @everyone words, <!here>?" > "$STEPS/answer-$COPPICE_TASK" || exit 0
  else
    cat > "$STEPS/prompt-$COPPICE_TASK-$COPPICE_TURN"
  fi
  echo "$COPPICE_TURN" > "work-$COPPICE_TASK-$COPPICE_TURN"`

function createFleet(chats: readonly Chat[]): Fleet {
  const fleet = new Fleet()
  const agent = { runtime: "command", command: SH, env: { STEPS: fleet.steps } }
  const sources = chats.map((chat) => ({
    type: chat.type,
    channel: chat.channel,
    api_url: chat.url,
    token_variable: "SLACK_ROBOT_TOKEN",
    authors: [chat.idOf("alice")],
    interval: "1s",
  }))
  fleet.extra["SLACK_ROBOT_TOKEN"] = TOKEN
  const file = { version: 1, repos: { app: { gate: false } }, agents: { sh: agent } }
  const named = Object.fromEntries(sources.map((source) => [source.type, source]))
  fleet.approve({ ...file, sources: named }, "configure")
  return fleet
}

const count = (texts: readonly string[], words: string) =>
  texts.filter((text) => text.includes(words)).length

test("a thread of Slack and of Discord is a conversation: question, answer, result, more work, hint [39.12, 39.13]", async () => {
  await using slack = await startSlack()
  await using discord = await startDiscord()
  await using fleet = createFleet([slack, discord])
  await fleet.coppice("up", "-d")
  // One after the other: the numbers of their tasks are known.
  await converse(fleet, slack, 1)
  await converse(fleet, discord, 2)
  const turns = ["turn 1.1", "turn 1.2", "turn 2.1", "turn 2.2"]
  expect(fleet.noted("turns")).toEqual(turns)
  expect((await fleet.client.list()).tasks, "no message is taken again").toEqual([])
  expect(fleet.noted("env").join("\n")).not.toContain(TOKEN)
  const found = spawnSync("grep", ["-rl", TOKEN, fleet.home.path, fleet.repo.folder])
  expect(String(found.stdout), "the files of the home, and its logs").toBe("")
}, 120_000)

async function converse(fleet: Fleet, chat: Chat, task: number): Promise<void> {
  const id = chat.write("alice", `<@${chat.idOf("robot")}> Count words\nAll of them.`)
  const said = () => chat.said(id)
  await waitFor("the question", () => count(said(), `Task ${task} asks:`) === 1)
  expect(fleet.noted(`first-${task}`).join("\n")).toMatch(
    /```\nTitle: Count words\n[^]*All of them\.\n```/,
  )
  chat.reply(id, "mallory", "None of them")
  chat.reply(id, "alice", "the long ones")
  await waitFor("the result", () => count(said(), "Coppice has landed this: ") === 1)
  expect(fleet.noted(`answer-${task}`)).toEqual(["the long ones"])
  chat.reply(id, "alice", "Now the numbers too")
  await waitFor("the second result", () => count(said(), "Coppice has landed this: ") === 2)
  const prompt = fleet.noted(`prompt-${task}-2`).join("\n")
  expect(prompt).toMatch(/```\nNow the numbers too\n```/)
  expect(prompt).not.toContain("None of them")
  await fleet.coppice("delete", String(task))
  for (const text of ["One more", "Hello?"]) chat.reply(id, "alice", text)
  await waitFor("the hint", () => count(said(), "This conversation has ended") === 1)
}

/**
 * The changing requests of a conversation at which the daemon is killed, before it gets the answer: those
 * of the claim, of the question, of the result, and of the second result. The contract of chats has every
 * request of each service fail; here those of one service kill, and at the other the one that opens a thread.
 */
const KILLED_AT = { slack: [1, 2, 3, 6, 7], discord: [2] }

test("a message becomes one task, and all is said once, at whatever request the daemon is killed [39.7, 39.14]", async () => {
  await using slack = await startSlack()
  await using discord = await startDiscord()
  await using fleet = createFleet([slack, discord])
  await fleet.coppice("up", "-d")
  const rounds = [slack, discord].flatMap((chat) =>
    KILLED_AT[chat.type].map((n) => [chat, n] as const),
  )
  for (const [at, [chat, n]] of rounds.entries()) {
    const task = at + 1
    const id = chat.write("alice", `<@${chat.idOf("robot")}> Count words`)
    let changes = 0
    let isKilled = false
    chat.onRequest = async ({ method }) => {
      if (method === "GET" || ++changes !== n) return
      await fleet.kill()
      isKilled = true
    }
    const said = () => chat.said(id)
    const until = async (what: string, isThere: () => boolean) => {
      await waitFor(`${what}, or the kill at ${n}`, () => isThere() || isKilled)
      if (isKilled) await fleet.coppice("up", "-d")
      await waitFor(`${what}, killed at ${n}`, isThere)
    }
    await until("the question", () => count(said(), `Task ${task} asks:`) > 0)
    chat.reply(id, "alice", "the long ones")
    await until("the result", () => count(said(), "Coppice has landed this: ") > 0)
    chat.reply(id, "alice", "Now the numbers")
    await until("the second result", () => count(said(), "Coppice has landed this: ") > 1)
    await waitFor(`the kill at ${n}`, () => isKilled)
    await fleet.coppice("up", "-d")
    await waitFor("the reaction", () => chat.reactions(id).length === 1)
    expect(said(), `${chat.type}, killed at ${n}`).toEqual([
      expect.stringContaining("coppice:claim"),
      expect.stringContaining(`Task ${task} asks:`),
      "the long ones",
      expect.stringMatching(/^Coppice has landed this: [^]*coppice:end/),
      "Now the numbers",
      expect.stringMatching(/^Coppice has landed this: [^]*coppice:note/),
    ])
    expect(fleet.noted(`answer-${task}`)).toEqual(["the long ones"])
    expect(count(fleet.noted(`prompt-${task}-2`), "Now the numbers")).toBe(1)
  }
  const { tasks } = await fleet.client.list()
  expect(tasks).toHaveLength(rounds.length)
  expect(fleet.noted("turns").filter((turn) => turn.endsWith(".3"))).toEqual([])
}, 240_000)
