import { test } from "vitest"
import { expectGenerated } from "../../../test/support/generated.ts"
import { openDb } from "./open.ts"
import { sql } from "./sql.ts"

const SCHEMA = `
  select sql from sqlite_schema
  where sql is not null and name not like 'sqlite_%'
  order by tbl_name, type desc, name`

test("the schema in the docs is the one that the migrations make", async () => {
  const statements = sql(openDb(":memory:"), SCHEMA).list()
  const text = statements.map((row) => `${row["sql"]};\n`).join("\n")
  await expectGenerated("docs/generated/schema.sql", text)
})
