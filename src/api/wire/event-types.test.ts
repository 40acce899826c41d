import { expect, test } from "vitest"
import { z } from "zod"
import { expectGenerated } from "../../../test/support/generated.ts"
import { LANDING } from "../../kernel/landing/rules.ts"
import { eventType } from "../../kernel/store/events.ts"
import { TASK } from "../../kernel/tasks/rules.ts"
import { EVENTS } from "./event-types.ts"

const transitionsOf = (table: object) =>
  Object.values(table).flatMap((arrows: object) => Object.keys(arrows))

test("every transition of a task and of a landing has its event [35.14]", () => {
  const types = [
    ...transitionsOf(TASK).map((event) => eventType("task", event)),
    ...transitionsOf(LANDING).map((event) => eventType("landing", event)),
  ]
  expect(types.length).toBeGreaterThan(50)
  expect(types.filter((type) => !(type in EVENTS))).toEqual([])
})

type Field = { readonly type?: string; readonly anyOf?: readonly Field[]; readonly const?: unknown }

const typeOf = ({ type, anyOf, ...field }: Field): string =>
  anyOf?.map(typeOf).join(" or ") ?? type ?? String(field.const ?? "any")

test("the docs have each type of event, with its data [35.14]", async () => {
  const rows = Object.entries(EVENTS).map(([type, data]) => {
    const { properties = {}, required = [] } = z.toJSONSchema(data)
    const fields = Object.entries(properties).map(([name, field]) => {
      const mark = required.includes(name) ? "" : "?"
      return `\`${name}${mark}\`: ${typeOf(field as Field)}`
    })
    return `| \`${type}\` | ${fields.join(", ")} |`
  })
  const text = `# Events

\`coppice events\` and \`GET /events\` give them, with number (\`seq\`), time (\`at\`), type, task and data. A field with \`?\` may
be absent. A later version may add types and fields. [openapi.json](openapi.json) has the same as JSON Schemas
(\`KnownEventDocument\`).

| type | data |
|---|---|
${rows.join("\n")}
`
  await expectGenerated("docs/generated/events.md", text)
})
