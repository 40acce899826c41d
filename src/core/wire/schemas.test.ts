import { test } from "vitest"
import { z } from "zod"
import { expectGenerated } from "../../../test/support/generated.ts"
import { SCHEMAS } from "./schemas.ts"

test("the JSON Schemas in the docs are those of the documents", async () => {
  const schemas = Object.entries(SCHEMAS).map(([name, document]) => {
    const { $schema: _, ...schema } = z.toJSONSchema(document, { io: "input" })
    return [name, schema]
  })
  const text = JSON.stringify(
    { $schema: "https://json-schema.org/draft/2020-12/schema", $defs: Object.fromEntries(schemas) },
    null,
    2,
  )
  await expectGenerated("docs/generated/wire.schema.json", `${text}\n`)
})
