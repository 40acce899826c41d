/** The JSON Schema of coppice.yml, for editors, and the keys in it, for people. */
import { z } from "zod"
import { ABOUT } from "./about.ts"
import { ConfigFile } from "./schema.ts"

type Node = {
  description?: string
  required?: readonly string[]
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Node>>
  readonly additionalProperties?: Node | false
  readonly anyOf?: readonly Node[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly pattern?: string
  readonly minimum?: number
  readonly default?: unknown
}

/** An agent and the defaults of all agents complete each other: neither needs to be whole. */
const AGENT = /^(agents\.\*|defaults)\b/

/** As people write the file: what has a default may be left out. */
export function configJsonSchema(): object {
  const schema = z.toJSONSchema(ConfigFile, { io: "input" }) as Node
  for (const { path, node } of walk(schema)) {
    const about = aboutOf(path)
    if (about !== undefined) node.description = about
    if (!AGENT.test(path)) continue
    for (const section of [node, ...(node.anyOf ?? [])]) delete section.required
  }
  return schema
}

export type ConfigKey = {
  /** `*` stands for a name. */
  readonly path: string
  readonly about: string
  /** The possible values in words. */
  readonly values: string
  /** As it is written; undefined without one. */
  readonly default: unknown
}

/** Every key, in the order of the schema. */
export function listConfigKeys(): readonly ConfigKey[] {
  const found = walk(z.toJSONSchema(ConfigFile, { io: "input" }) as Node)
  return found.map(({ path, node }) => {
    const values = wordsFor(path, node)
    return {
      path,
      about: aboutOf(path) ?? node.description ?? "",
      values,
      default: isSection(node) ? undefined : node.default,
    }
  })
}

/** The keys of a schedule's source are those of a source. */
const OF_SCHEDULE = /^agents\.\*\.schedules\.\*\.work_source\./

function aboutOf(path: string): string | undefined {
  const written = path.replace(/^defaults\./, "agents.*.")
  return ABOUT[written] ?? ABOUT[written.replace(OF_SCHEDULE, "sources.*.")]
}

type At = { readonly path: string; readonly node: Node }

function walk(section: Node, above = ""): readonly At[] {
  const { additionalProperties, anyOf = [] } = section
  const named = [section, ...anyOf].flatMap(({ properties = {} }) => Object.entries(properties))
  const all: [string, Node][] = additionalProperties
    ? [...named, ["*", additionalProperties]]
    : named
  return all.flatMap(([key, node]) => {
    const path = above === "" ? key : `${above}.${key}`
    return [{ path, node }, ...walk(node, path)]
  })
}

const isSection = ({ properties, additionalProperties }: Node): boolean =>
  properties !== undefined || Boolean(additionalProperties)

/** Times and sizes are text in the schema. */
const TIME = /(timeout|interval|_wait|_age|retention|\.time)$/

function wordsFor(path: string, node: Node): string {
  if (isSection(node)) return "section"
  if (TIME.test(path)) return "time, such as 30s, 20m or 7d"
  if (path.endsWith(".max_size")) return "size, such as 500MB"
  return wordsOf(node)
}

function wordsOf({ anyOf, type, const: only, enum: some, minimum }: Node): string {
  if (anyOf) {
    // A number and a switch are also taken as text, for the sake of variables.
    const kinds = anyOf.filter((one) => one.pattern !== "^\\d+$" && one.enum?.[0] !== "true")
    const words = kinds.filter((one) => one.const !== true).map(wordsOf)
    return [...new Set(words)].join(" or ")
  }
  if (only !== undefined) return `\`${only}\``
  if (some) return some.map((one) => `\`${one}\``).join(", ")
  if (type === "integer") return `whole number from ${minimum}`
  if (type === "boolean") return "`true` or `false`"
  if (type === "array") return "list"
  if (type === "object") return "section"
  return type === "number" ? "number" : "text"
}
