/** Hooks follow the events of tasks: commands and web requests, also across a killed daemon. */
import { createHmac } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { Fleet } from "../support/fleet.ts"
import { Receiver } from "../support/receiver.ts"
import { waitFor } from "../support/wait-for.ts"

const withHooks = (hooks: object) => ({ repo: { gate: false }, sh: { hooks } })
const ended = ({ type }: { type: string }) => type.startsWith("hook.")

test("C01, C04: a command gets the facts on its standard input; hooks that fail stop neither others nor the task [41.1]", async () => {
  await using fleet = new Fleet()
  fleet.configure(
    withHooks({
      after_run: [
        { command: `cat > ${fleet.steps}/facts; echo "$COPPICE_EVENT \${HOME:+home}"; exit 3` },
        { command: "sleep 600", timeout: "1s" },
        { command: "/no/such/program" },
        { command: `echo last >&2; echo last > ${fleet.steps}/last` },
      ],
      on_error: [{ command: `echo wrong > ${fleet.steps}/error` }],
    }),
  )
  const id = await fleet.start("echo a > a.txt")
  expect((await fleet.until(id)).state, "a hook that fails fails no task").toBe("complete")
  const events = await waitFor("four hooks", async () => {
    const all = (await fleet.client.events({ limit: 500 })).events.filter(ended)
    return all.length >= 4 && all
  })
  const said = Object.fromEntries(events.map(({ data }) => [String(data["code"]), data]))
  expect(said["3"]).toMatchObject({ kind: "exited", output: "task.landed home\n" })
  expect(said["null"]).toMatchObject({ kind: "timed_out" })
  expect(said["127"]?.["output"]).toContain("/no/such/program")
  expect(said["0"]).toMatchObject({ kind: "exited", output: "last\n" })
  expect(fleet.noted("last")).toEqual(["last"])
  const facts = JSON.parse(fleet.noted("facts").join("\n"))
  expect(facts).toMatchObject({ event: { type: "task.landed" }, task: { id, state: "complete" } })
  expect(fleet.noted("error")).toEqual([])
})

test("C05: a web request is signed, has its headers, and is repeated until the server takes it [41.2]", async () => {
  await using receiver = await Receiver.start()
  await using fleet = new Fleet()
  fleet.extra["HOOK_SECRET"] = "the-key"
  fleet.extra["HOOK_TOKEN"] = "the-token"
  receiver.answers.push(
    { status: 503 },
    { status: "hang" },
    { status: 429, headers: { "Retry-After": "1" } },
  )
  const hook = {
    url: receiver.url,
    secret: `\${HOOK_SECRET}`,
    headers: { Authorization: `Bearer \${HOOK_TOKEN}`, "content-type": "text/x-mine" },
    timeout: "1s",
  }
  fleet.configure(withHooks({ on_error: [hook] }))
  const id = await fleet.start("exit 9")
  const got = await receiver.until(4)
  const [first] = got
  for (const { headers, body } of got) {
    expect(body).toBe(first!.body)
    expect(headers).toMatchObject({
      authorization: "Bearer the-token",
      "content-type": "text/x-mine",
      "coppice-event": "task.got_stuck",
      "coppice-delivery": first!.headers["coppice-delivery"],
    })
    const signed = `${headers["coppice-timestamp"]}.${body}`
    const mac = createHmac("sha256", "the-key").update(signed).digest("hex")
    expect(headers["coppice-signature"]).toBe(`sha256=${mac}`)
  }
  expect(JSON.parse(first!.body)).toMatchObject({ task: { id, state: "stuck" } })
  await fleet.event(({ type }) => type === "hook.ran")
  const { events } = await fleet.client.events({ limit: 500 })
  for (const secret of ["the-key", "the-token", "secret-path"])
    expect(JSON.stringify(events)).not.toContain(secret)
})

test("C03, C05: a request that the server refuses is not repeated; `on_events` and `when` choose [41.3]", async () => {
  await using receiver = await Receiver.start()
  await using fleet = new Fleet()
  receiver.answers.push({ status: 404 })
  fleet.configure(
    withHooks({
      after_run: [
        {
          command: `echo "$COPPICE_WORKTREE_BRANCH $COPPICE_WORK_ITEM_ID" >> ${fleet.steps}/place`,
          on_events: ["turn.began"],
        },
        { url: receiver.url, on_events: ["turn.began"] },
        { url: receiver.url, when: "task.workItem" },
      ],
    }),
  )
  await fleet.until(await fleet.start("true"))
  const failed = await fleet.event(({ type }) => type === "hook.failed")
  expect(failed.data).toMatchObject({ text: "the server answered 404" })
  await fleet.until(await fleet.start("true", "--work-item", "gh-17"))
  const got = await receiver.until(3)
  expect(got.map(({ headers }) => headers["coppice-event"]).sort()).toEqual([
    "task.landed",
    "turn.began",
    "turn.began",
  ])
  await waitFor("both hooks of the command", () => fleet.noted("place").length === 2)
  expect(fleet.noted("place")).toEqual(["agent/sh/1-true ", "agent/sh/gh-17 gh-17"])
  const { events } = await fleet.client.events({ limit: 500 })
  const skipped = events.filter(({ type }) => type === "hook.skipped")
  expect(skipped.map(({ data }) => data["when"])).toEqual(["task.workItem"])
})

test("an event whose daemon is killed during its delivery is delivered by the next one [41.4]", async () => {
  await using receiver = await Receiver.start()
  await using fleet = new Fleet()
  receiver.answers.push({ status: "hang" })
  fleet.configure(withHooks({ after_run: [{ url: receiver.url }] }))
  await fleet.until(await fleet.start("true"))
  await receiver.until(1)
  await fleet.kill()
  await fleet.coppice("up", "-d")
  const [first, second] = await receiver.until(2)
  expect(second!.body).toBe(first!.body)
  expect(second!.headers["coppice-delivery"]).toBe(first!.headers["coppice-delivery"])
  await fleet.event(({ type }) => type === "hook.ran")
  expect(receiver.got).toHaveLength(2)
})

test("a task that needs a person is sent to each place of `notify`, once, with a link on loopback [41.5, 41.11]", async () => {
  await using receiver = await Receiver.start()
  await using fleet = new Fleet()
  const bin = join(fleet.home.path, "bin")
  mkdirSync(bin)
  const script = '#!/bin/sh\nprintf "%s|" "$@" >> "$HOME/desktop"\n'
  writeFileSync(join(bin, "notify-send"), script, { mode: 0o755 })
  fleet.extra["PATH"] = `${bin}:${fleet.env["PATH"]}`
  const { url } = receiver
  const agents = { sh: { runtime: "command", command: "echo which colour?; exit 75" } }
  const notify = {
    me: { type: "desktop" },
    phone: { type: "ntfy", url },
    team: { type: "slack", url },
    chat: { type: "discord", url },
    own: { type: "webhook", url, secret: "key" },
  }
  fleet.approve({ version: 1, repos: { app: { gate: false } }, agents, notify }, "notify")
  const task = await fleet.until(await fleet.start("Paint it"))
  expect(task.state).toBe("stuck")
  const text = "Task 1 needs you: Paint it: which colour?"
  const bodies = (await receiver.until(4)).map(({ body }) => body)
  expect(bodies).toContain(text)
  const sent = bodies.filter((body) => body.startsWith("{")).map((body) => JSON.parse(body))
  expect(sent).toContainEqual(
    expect.objectContaining({ text: expect.stringContaining(`\`${text}\``), parse: "none" }),
  )
  const plain = { allowed_mentions: { parse: [] }, flags: 4 }
  expect(sent).toContainEqual(
    expect.objectContaining({ content: expect.stringContaining(`\`${text}\``), ...plain }),
  )
  const own = bodies.find((body) => body.startsWith('{"event"')) ?? ""
  expect(JSON.parse(own)).toMatchObject({
    task: { attention: true },
    links: {
      page: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#\/task\/\d+$/),
      actions: [],
    },
  })
  await waitFor("the desktop", async () => existsSync(join(fleet.home.path, "desktop")))
  expect(readFileSync(join(fleet.home.path, "desktop"), "utf8")).toBe(
    `--app-name=Coppice|--|Coppice|${text}\n${(await fleet.client.status()).address}/#/task/1|`,
  )
  expect(receiver.got).toHaveLength(4)
})

test("before_run comes before the first turn of a job, once, in the worktree's facts [41.6]", async () => {
  await using fleet = new Fleet()
  const { steps } = fleet
  fleet.configure({
    repo: { gate: "test ! -f a.txt || test -f b.txt" },
    sh: {
      hooks: {
        before_run: [
          { command: `cat > ${steps}/facts; echo "before $COPPICE_EVENT" >> ${steps}/order` },
          { command: `echo second >> ${steps}/order; exit 3`, continue_on_error: true },
          { command: `echo never >> ${steps}/order`, when: "task.workItem" },
        ],
      },
    },
  })
  fleet.step(1, 'echo agent >> "$STEPS/order"; echo a > a.txt')
  fleet.step(2, 'echo again >> "$STEPS/order"; echo b > b.txt')
  const id = await fleet.start("go")
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  expect(fleet.noted("order")).toEqual(["before before_run", "second", "agent", "again"])
  const { event, task } = JSON.parse(fleet.noted("facts").join("\n"))
  expect(event).toMatchObject({ task: id })
  expect(task).toMatchObject({ id, state: "working", repos: [{ worktree: expect.any(String) }] })
  const { events } = await fleet.client.events({ limit: 500 })
  const ends = events.filter(ended).map(({ type, data, task }) => [type, data["code"], task])
  expect(ends).toEqual([
    ["hook.ran", 0, id],
    ["hook.failed", 3, id],
    ["hook.skipped", undefined, id],
  ])
})

test("C02: a before_run hook that fails stops the run, and a restart runs it again [41.6]", async () => {
  await using fleet = new Fleet()
  const { steps } = fleet
  const command = `echo hook >> ${steps}/order; [ -e ${steps}/vpn ] || { echo "no VPN"; exit 7; }`
  fleet.configure(
    withHooks({
      before_run: [{ command }, { command: `echo later >> ${steps}/order` }],
      on_error: [{ command: `echo error >> ${steps}/error` }],
      after_run: [{ command: `echo end >> ${steps}/error` }],
    }),
  )
  fleet.step(2, 'echo agent >> "$STEPS/order"; echo a > a.txt')
  const id = await fleet.start("true")
  const { reason, state } = await fleet.until(id)
  expect({ state, reason }).toMatchObject({ state: "stuck", reason: { code: "failed" } })
  expect(reason?.text).toMatch(/agents.sh.hooks.before_run.0 failed: it exited with 7\nno VPN/)
  await waitFor("on_error and after_run", async () => fleet.noted("error").length === 2)
  expect(fleet.noted("error").sort()).toEqual(["end", "error"])
  fleet.noted("vpn")
  expect(await fleet.coppice("restart", "-d", id)).toMatchObject({ code: 0 })
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  expect(fleet.noted("order")).toEqual(["hook", "hook", "later", "agent"])
}, 60_000)

test("a before_run request must be taken, and a cancelled task ends a hook that hangs [41.6]", async () => {
  await using receiver = await Receiver.start()
  await using fleet = new Fleet()
  receiver.answers.push({ status: 503 }, { status: 200 }, { status: 200 }, { status: 403 })
  const url = receiver.url
  fleet.configure(withHooks({ before_run: [{ url }, { url, timeout: "9s" }] }))
  expect(await fleet.until(await fleet.start("true"))).toMatchObject({ state: "complete" })
  const [first, repeated, second] = receiver.got.map(({ headers }) => headers["coppice-delivery"])
  expect(repeated).toBe(first)
  expect(second, "another hook is another delivery").not.toBe(first)
  const refused = await fleet.until(await fleet.start("true"))
  expect(refused.reason?.text).toMatch(/failed: the server answered 403$/)
  expect(receiver.got.map(({ headers }) => headers["coppice-event"])).toEqual(
    Array(4).fill("before_run"),
  )
  fleet.configure(withHooks({ before_run: [{ command: "sleep 600", timeout: "10m" }] }))
  const hanging = await fleet.start("true")
  const waits = async () => (await fleet.client.why(hanging)).waitingFor
  await waitFor("the hook", async () => (await waits()) === "its `before_run` hooks")
  await fleet.coppice("cancel", hanging)
  expect(await fleet.until(hanging)).toMatchObject({ state: "cancelled" })
}, 60_000)

test("before_run runs again if the daemon is killed before the first turn, and not after it [41.6]", async () => {
  await using fleet = new Fleet()
  const { steps } = fleet
  const command = `echo hook >> ${steps}/order; while [ ! -e ${steps}/go ]; do sleep 0.05; done`
  fleet.configure(withHooks({ before_run: [{ command }] }))
  const id = await fleet.start(
    'echo agent >> "$STEPS/order"; while [ ! -e "$STEPS/end" ]; do sleep 0.05; done',
  )
  await waitFor("the hook", async () => fleet.noted("order").length === 1)
  await fleet.kill()
  await fleet.coppice("up", "-d")
  await waitFor("the hook", async () => fleet.noted("order").length === 2)
  fleet.noted("go")
  await waitFor("the agent", async () => fleet.noted("order").includes("agent"))
  await fleet.kill()
  await fleet.coppice("up", "-d")
  await waitFor("the agent again", async () => fleet.noted("order").length === 4)
  fleet.noted("end")
  expect(await fleet.until(id)).toMatchObject({ state: "complete" })
  expect(fleet.noted("order")).toEqual(["hook", "hook", "agent", "agent"])
}, 60_000)
