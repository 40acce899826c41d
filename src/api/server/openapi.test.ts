import { Validator } from "@seriousme/openapi-schema-validator"
import { expect, test } from "vitest"
import { expectGenerated } from "../../../test/support/generated.ts"
import { ROUTES } from "../wire/routes.ts"
import { describeApi } from "./openapi.ts"

const text = JSON.stringify(describeApi("0.0.0"), null, 2)

test("the description of the HTTP API is valid OpenAPI 3.1, and the docs have it [35.13]", async () => {
  const result = await new Validator().validate(text)
  expect(result).toEqual({ valid: true })
  await expectGenerated("docs/generated/openapi.json", `${text}\n`)
})

test("it names each route once, and each of its references leads to a schema", () => {
  const { paths, components } = JSON.parse(text) as {
    paths: Record<string, Record<string, { operationId: string }>>
    components: { schemas: Record<string, unknown> }
  }
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
    Object.keys(ROUTES).sort(),
  )
  const names = [...text.matchAll(/"\$ref": "([^"]*)"/g)].map(([, ref]) => ref!.split("/").at(-1)!)
  expect(names.length).toBeGreaterThan(100)
  for (const name of names) expect(components.schemas).toHaveProperty(name)
})
