import { expect, test } from "vitest"
import { parseConfig } from "../../config/parse.ts"

function problems(text: string) {
  const parsed = parseConfig(text, {}, "app")
  if (parsed.kind === "ok") throw new Error("expected problems")
  return Object.fromEntries(parsed.problems.map(({ path, message }) => [path, message]))
}

const FILES = "work_source: { type: files, folder: todo"

test("a schedule has an interval or a cron pattern, and its mistakes are named [40.2]", () => {
  const text = (fields: string) =>
    `version: 1\nagents: { a: { schedules: { s: { prompt: x, ${fields} } } } }`
  const found = (fields: string) => problems(text(fields))
  const at = "agents.a.schedules.s"
  for (const fields of [
    "interval: 5m",
    "type: interval, interval: 5m, hours: '22:00-06:00'",
    "cron: '0 9 * * mon-fri', timezone: Europe/Berlin",
    "type: cron, cron: '@daily', enabled: false, priority: -1, overlap: true, title: Daily",
  ])
    expect(parseConfig(text(fields), {}, "app")).toMatchObject({ kind: "ok" })
  for (const [fields, key, words] of [
    ["type: cron", "cron", "is missing"],
    ["enabled: true", "interval", "is missing"],
    ["type: cron, interval: 5m", "type", "has no `cron`"],
    ["interval: 5m, cron: '@daily'", "cron", "does not go with `interval`"],
    ["cron: '* * * * * *'", "cron", "is not a cron pattern"],
    ["cron: '0 25 * * *'", "cron", "is not a cron pattern"],
    ["cron: '0 0 30 2 *'", "cron", "never comes"],
    ["interval: 5m, timezone: Berlin", "timezone", "is not a time zone"],
    ["interval: 5m, hours: 9-17", "hours", "are not running hours"],
    ["interval: 5m, hours: '09:00-09:00'", "hours", "are not running hours"],
    ["interval: 5m, work_source: { type: github }", "work_source.repo", "is needed"],
    ["interval: 5m, work_source: { type: workflow }", "work_source.type", "for `sources` alone"],
    [`interval: 5m, ${FILES}, interval: 1m }`, "work_source.interval", "says when"],
    [`interval: 5m, ${FILES} }, title: x`, "title", "an item has a title"],
    [`interval: 5m, ${FILES} }, overlap: true`, "overlap", "`max_open`"],
    ["interval: 5m, timezon: UTC", "timezon", "did you mean `timezone`?"],
  ] as const)
    expect([fields, found(fields)[`${at}.${key}`]]).toEqual([
      fields,
      expect.stringContaining(words),
    ])
  for (const wrong of ["0s", "-1m", "1.5h", "10"])
    expect(Object.keys(found(`interval: ${wrong}`)), `C09: ${wrong}`).toEqual([`${at}.interval`])
})

test("the source of a schedule has its agent, prompt and priority, and a name that no other source has [40.10]", () => {
  const text = (sources: string) =>
    `version: 1\nagents: { a: { schedules: { s: { interval: 5m, prompt: Go., priority: 2, ${FILES} } } } } }\n${sources}`
  const parsed = parseConfig(text(""), {}, "app")
  const config = parsed.kind === "ok" ? parsed.config : undefined
  expect(config?.agents[0]?.schedules).toMatchObject([{ source: "a-s" }])
  expect(config?.sources).toMatchObject([
    { name: "a-s", agent: "a", prompt: "Go.", schedule: { agent: "a", name: "s", priority: 2 } },
  ])
  expect(problems(text("sources: { a-s: { type: files, folder: x } }"))).toEqual({
    "agents.a.schedules.s.work_source": "is the source `a-s`, and another one has that name",
  })
})
