/** `container` of an agent in coppice.yml, and which containment an agent has. */
import { z } from "zod"
import { count, flag, text } from "../../config/value-kinds.ts"
import { CACHE_WRITERS, type CONTAINMENTS, type ContainmentConfig } from "./rules/containment.ts"
import { ENGINES } from "./rules/engines.ts"
import { findHostFault } from "./rules/hosts.ts"

/** A name that begins like an option would be one. */
const image = text.regex(
  /^[A-Za-z0-9][\w.:/@+-]*$/,
  "must be the name of an image, such as docker.io/library/node:24",
)

const memory = z
  .string({ error: 'must be a size in text, such as "2g"' })
  .regex(/^[1-9]\d*[mg]b?$/i, "must be a size, such as 512m or 2g")
  .transform((size) => size.toLowerCase().replace(/b$/, ""))

const cpus = z.union(
  [
    z.number().positive(),
    z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .transform(Number)
      .pipe(z.number().positive()),
  ],
  { error: "must be a number above 0, such as 1.5" },
)

export const ContainerFile = z.strictObject({
  image,
  devcontainer: flag(false),
  engine: z.enum(ENGINES).optional(),
  memory: memory.optional(),
  cpus: cpus.optional(),
  pids: count(1).optional(),
  network: z.enum(["host", "none"]).default("host"),
})

const cache = text.refine(
  (path) => /^~\/[^/]/.test(path) && !path.split("/").includes(".."),
  "must be a folder in HOME, such as ~/.npm",
)

const host = text.superRefine((entry, context) => {
  const message = findHostFault(entry)
  if (message !== undefined) context.addIssue({ code: "custom", message })
})

const network = z.union([flag(true), z.array(host)], {
  error: "must be true, false, or a list of hosts",
})

/** For both kinds of containment. */
export const ContainedFile = z.strictObject({
  network: network.prefault(true),
  read: z.array(text).default([]),
  caches: z.array(cache).default([]),
  caches_written_by: z.enum(CACHE_WRITERS).default("setup"),
})

type File = {
  readonly containment?: (typeof CONTAINMENTS)[number] | undefined
  readonly container?: z.output<typeof ContainerFile> | undefined
  readonly contained: z.output<typeof ContainedFile>
}

/** A `container` section alone asks for a container. */
export function containmentBy({ containment, container }: Pick<File, "containment" | "container">) {
  return containment ?? (container ? "container" : "none")
}

export function resolveContainment(file: File): ContainmentConfig {
  const by = containmentBy(file)
  const isDefault = file.containment === undefined && file.container === undefined
  const { network, read, caches, caches_written_by: cachesWrittenBy } = file.contained
  const common = { by, isDefault, read, caches, cachesWrittenBy }
  if (by !== "container" || !file.container) return { ...common, network }
  const { network: inContainer, image, devcontainer, engine, memory, cpus, pids } = file.container
  const container = { image, devcontainer, engine, memory, cpus, pids }
  return { ...common, network: inContainer === "host" && network, container }
}
