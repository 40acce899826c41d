/** Labels from outside: the command, the key, the document, the event and the words of `why`. */
import { expect, test } from "vitest"
import { Fleet } from "../../../test/support/fleet.ts"
import { EventsDocument } from "../../api/wire/events.ts"
import { HomesDocument } from "../../api/wire/home.ts"
import { TaskDocument, TasksDocument, WhyDocument } from "../../api/wire/tasks.ts"
import { findLabelFault } from "./rules.ts"

test("a task has the labels of its agent, and those that a person adds and does not remove [53.1]", async () => {
  await using fleet = new Fleet({ repo: { gate: false }, sh: { labels: ["ui", "agent"] } })
  const labels = async (...args: string[]) =>
    (await fleet.json(TaskDocument, ["label", "1", ...args])).labels
  await fleet.json(TaskDocument, ["run", "echo x > x", "--land", "none"])
  expect(await labels()).toEqual(["agent", "ui"])
  expect(await labels("urgent", "ui", "--remove", "agent")).toEqual(["ui", "urgent"])
  expect((await fleet.coppice("label", "1")).stdout).toBe("ui\nurgent\n")

  await fleet.json(TaskDocument, ["resume", "1", "echo y > y"])
  expect(await labels()).toEqual(["ui", "urgent"]) // a removed label is not given again
  const { tasks } = await fleet.json(TasksDocument, ["ls"])
  expect(tasks[0]?.labels).toEqual(["ui", "urgent"])
  const { events } = await fleet.json(EventsDocument, ["events", "1"])
  const labelled = events.filter(({ type }) => type === "task.labelled")
  expect(labelled.map(({ data }) => data)).toEqual([
    { labels: ["agent", "ui"] },
    { labels: ["ui", "urgent"] },
  ])
  expect(await fleet.coppice("label", "1", "two words")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("must begin with a letter or a digit, and have no spaces"),
  })
})

test("`why` and lists of all homes say what a label says that the task needs [53.2]", async () => {
  await using fleet = new Fleet({ repo: { gate: false } })
  await fleet.json(TaskDocument, ["run", "true", "--land", "none"])
  const why = () => fleet.json(WhyDocument, ["why", "1"])
  expect((await why()).waitingFor).toBeNull()
  await fleet.json(TaskDocument, ["label", "1", "needs:design", "ui"])
  expect(await why()).toMatchObject({
    waitingFor: "the end of `needs:design`, its label",
    unblock: "`coppice label 1 --remove needs:design` takes the label away.",
  })
  const { homes } = await fleet.json(HomesDocument, ["ls", "--all-homes"])
  expect(JSON.stringify(homes)).toContain("needs:design")
})

test.each([
  ["ui", undefined],
  ["needs:design", undefined],
  ["größe", undefined],
  ["", "begin with a letter"],
  ["-x", "begin with a letter"],
  ["a b", "no spaces"],
  ["a\u202eb", "no spaces"],
  ["x".repeat(51), "at most 50"],
])("a label may be %j: %s", (label, fault) => {
  if (fault === undefined) expect(findLabelFault(label)).toBeUndefined()
  else expect(findLabelFault(label)).toContain(fault)
})
