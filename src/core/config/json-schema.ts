/** The JSON Schema of coppice.yml, for editors. */
import { z } from "zod"
import { ConfigFile } from "./schema.ts"

/** As people write the file: what has a default may be left out. */
export function configJsonSchema(): object {
  return z.toJSONSchema(ConfigFile, { io: "input" })
}
