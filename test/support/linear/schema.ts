/**
 * Linear's whole GraphQL schema, as the types in Linear's own SDK declare it.
 *
 * The package of the SDK has no schema, but each type of the schema is one type in its declarations. So
 * no copy of the schema can grow old here, and a field that Linear does not have is an error.
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { buildASTSchema, type GraphQLSchema, parse } from "graphql"

type Declared = {
  readonly name: string
  readonly kind: "type" | "enum"
  /** The interfaces that it implements. */
  readonly above: readonly string[]
  /** The fields of the type, or the names of an enum. */
  readonly body: string
  readonly union: string | undefined
}

const TYPE =
  /^(?:type|declare (enum)) (\w+) (?:= )?((?:\w+ & )*)(?:\{\n([^]*?)^\}|(\w+(?: \| \w+)+));?$/gm
const FIELD = /^ {2}(?!__typename)(\w+)\??: (.+);$/gm
const BUILT_IN = ["ID", "String", "Boolean", "Int", "Float"]

let built: GraphQLSchema | undefined

/** The schema takes half a second to build, so each process builds it once. */
export function linearSchema(): GraphQLSchema {
  const trusted = { assumeValid: true, assumeValidSDL: true }
  built ??= buildASTSchema(parse(sdlOf(readDeclarations()), { noLocation: true }), trusted)
  return built
}

function readDeclarations(): string {
  const folder = dirname(fileURLToPath(import.meta.resolve("@linear/sdk")))
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(".d.mts")) continue
    const text = readFileSync(join(folder, name), "utf8")
    // The types of the schema come first, and then those of the SDK's own queries.
    const end = text.search(/^type \w+Fragment = /m)
    if (text.includes("\ntype Scalars = {") && end > 0)
      return text.slice(0, end).replaceAll(/\/\*[^]*?\*\//g, "")
  }
  throw new Error(`${folder} declares no types of a schema`)
}

function sdlOf(text: string): string {
  const all = [...text.matchAll(TYPE)].map(declaredOf)
  const byName = new Map(all.map((one) => [one.name.toLowerCase(), one]))
  const interfaces = new Set(all.flatMap(({ above }) => above))
  /** The arguments of a field are declared as a type of their own. */
  const argumentTypes = new Set<Declared>()
  const findArguments = (name: string) => {
    const found = byName.get(name.toLowerCase())
    if (!found || isObjectType(found)) return ""
    argumentTypes.add(found)
    return `(${fieldsOf(found)})`
  }
  const written = all.map((one) => {
    const { name, kind, above, union } = one
    if (union !== undefined) return `union ${name} = ${union}`
    if (kind === "enum") return `enum ${name} { ${namesIn(one, /= "(\w+)"/g).join(" ")} }`
    if (name === "Scalars") return scalarsOf(one)
    const isObject = isObjectType(one)
    if (!isObject && !interfaces.has(name)) return `input ${name} {\n${fieldsOf(one)}\n}`
    const implemented = above.length > 0 ? ` implements ${above.join(" & ")}` : ""
    const fields = fieldsOf(one, (field) => findArguments(`${name}${field}Args`))
    return `${isObject ? "type" : "interface"} ${name}${implemented} {\n${fields}\n}`
  })
  return written.filter((_, at) => !argumentTypes.has(all[at]!)).join("\n")
}

function declaredOf([
  ,
  isEnum,
  name = "",
  above = "",
  body = "",
  union,
]: RegExpExecArray): Declared {
  const kind = isEnum === undefined ? "type" : "enum"
  return { name, kind, above: above.split(" & ").filter(Boolean), body, union }
}

const isObjectType = ({ body }: Declared) => body.includes("__typename?:")

const namesIn = ({ body }: Declared, pattern: RegExp) =>
  [...body.matchAll(pattern)].map(([, name = ""]) => name)

const scalarsOf = (scalars: Declared) =>
  namesIn(scalars, FIELD)
    .filter((name) => !BUILT_IN.includes(name))
    .map((name) => `scalar ${name}`)
    .join("\n")

const fieldsOf = ({ body }: Declared, argumentsOf: (field: string) => string = () => "") =>
  [...body.matchAll(FIELD)]
    .map(([, name = "", type = ""]) => `  ${name}${argumentsOf(name)}: ${typeOf(type)}`)
    .join("\n")

/** `Maybe<X>` can be null; `Scalars["X"]` is a scalar. */
function typeOf(type: string): string {
  const [, kind, inner = ""] = /^(\w+)[<[](.+)[>\]]$/.exec(type) ?? []
  if (kind === "Maybe" || kind === "InputMaybe") return typeOf(inner).replace(/!$/, "")
  if (kind === "Array") return `[${typeOf(inner)}]!`
  if (kind === "Scalars") return `${JSON.parse(inner)}!`
  return `${type}!`
}
