/** The documents of a home: its daemon, tasks, configuration, approvals and health. */
import { z } from "zod"
import { ScheduleDocument } from "../../features/schedules/wire.ts"
import { SourceDocument } from "../../features/sources/wire.ts"
import { TaskLinesDocument } from "./tasks.ts"

/** The result of the last automatic clean-up. */
export const MaintenanceDocument = z.object({
  /** When it ended; null where there was none since the daemon started. */
  at: z.iso.datetime().nullable(),
  removed: z.int(),
  /** The first problems for a person to check, one sentence each. */
  problems: z.array(z.string()),
})
export type MaintenanceDocument = z.infer<typeof MaintenanceDocument>

export const StatusDocument = z.object({
  running: z.boolean(),
  pid: z.int().nullable(),
  address: z.string().nullable(),
  home: z.string(),
  version: z.string().nullable(),
  uptimeS: z.number().nullable(),
  tasks: z.record(z.string(), z.int()),
  /** The result of the last clean-up; null without a daemon. */
  maintenance: MaintenanceDocument.nullable(),
  /** Worktrees that wait for a task; `bytes` as last measured. Null where no daemon runs. */
  pool: z.object({ worktrees: z.int(), bytes: z.int() }).nullable(),
  /** The schedules of coppice.yml; null where no daemon runs. */
  schedules: z.array(ScheduleDocument).nullable(),
  /** Null where no daemon runs. */
  sources: z.array(SourceDocument).nullable(),
  /** The limits of coppice.yml, and what is used of them. Null where no daemon runs. */
  limits: z
    .object({
      concurrent: z.int(),
      agents: z.array(
        z.object({
          name: z.string(),
          /** How many of its tasks run at the same time. */
          max: z.int(),
          /** The share of its account's usage limit that is kept for a person. */
          reserve: z.number(),
        }),
      ),
      /** The part of `limits.per_day` that all agents have used today (UTC): ms, US dollars, or a count. */
      perDay: z.array(
        z.object({
          of: z.enum(["turns", "time", "tokens", "cost"]),
          used: z.number(),
          max: z.number(),
        }),
      ),
    })
    .nullable(),
})
export type StatusDocument = z.infer<typeof StatusDocument>

/** @see the route `down` */
export const ToEnd = z.strictObject({
  /** Only a daemon that a command started, and that has nothing to do. */
  ifIdle: z.boolean().optional(),
})
export const EndingDocument = z.object({ ending: z.boolean() })

/** The tasks of every home of this user; whether its daemon runs. */
export const HomesDocument = z.object({
  homes: z.array(
    TaskLinesDocument.extend({
      home: z.string(),
      running: z.boolean(),
      /** Why its tasks cannot be read. */
      problem: z.string().nullable(),
    }),
  ),
})
export type HomesDocument = z.infer<typeof HomesDocument>

/** The same in short, for a page with all of them. */
export const HomeSummariesDocument = z.object({
  homes: z.array(
    HomesDocument.shape.homes.element.pick({ home: true, running: true, problem: true }).extend({
      /** The home's dashboard is at `/homes/<id>/` of this address, and its routes below that. */
      id: z.string(),
      /** The home belongs to the daemon that answers. */
      own: z.boolean(),
      /** How many tasks are in each group of `ls`; a group without tasks is absent. */
      counts: z.record(z.string(), z.int()),
      /** The first tasks that need a person. */
      needing: TaskLinesDocument.shape.tasks,
    }),
  ),
})
export type HomeSummariesDocument = z.infer<typeof HomeSummariesDocument>

const item = z.object({
  /** A key of coppice.yml; a repository and a setting of its own git configuration. */
  where: z.string(),
  what: z.string(),
})

export const TrustDocument = z.object({
  home: z.string(),
  /** Of coppice.yml; null where there is none. */
  path: z.string().nullable(),
  /** Nothing is waiting for a person. */
  approved: z.boolean(),
  /** Everything that coppice.yml runs, makes and reads; for a changed one, every change since its approval. */
  config: z.array(item),
  changed: z.boolean(),
  /** Programs that the repositories' own git configurations name. */
  git: z.array(item),
})
export type TrustDocument = z.infer<typeof TrustDocument>

export const DoctorDocument = z.object({
  /** No check failed. */
  ok: z.boolean(),
  checks: z.array(
    z.object({
      name: z.string(),
      state: z.enum(["ok", "failed"]),
      text: z.string(),
      /** The repair; null if none is needed. */
      hint: z.string().nullable(),
    }),
  ),
})
export type DoctorDocument = z.infer<typeof DoctorDocument>

/** A valid configuration; an invalid one is an error. */
export const ConfigDocument = z.object({
  /** The file; null where there is none and the defaults apply. */
  path: z.string().nullable(),
  repos: z.array(z.string()),
  agents: z.array(z.string()),
  /** Sentences about settings that are valid but unlikely to be meant. */
  warnings: z.array(z.string()),
})
export type ConfigDocument = z.infer<typeof ConfigDocument>

/** A key of coppice.yml. */
export const ConfigKeyDocument = z.object({
  key: z.string(),
  /** As it is written, variables not filled in; null without a value. */
  value: z.unknown(),
  /** `defaults`: that section of a file. `none`: it depends on the repository, or nothing applies. */
  origin: z.enum(["file", "defaults", "default", "none"]),
  /** The file that has it, or several with ` and ` between them; null if none has. */
  path: z.string().nullable(),
  /** Each key of a section, with the file it comes from; empty for a value that is no section. */
  keys: z.array(
    z.object({ key: z.string(), origin: z.enum(["file", "defaults"]), path: z.string() }),
  ),
  about: z.string(),
  /** The possible values in words. */
  values: z.string(),
})
export type ConfigKeyDocument = z.infer<typeof ConfigKeyDocument>

export const InitDocument = z.object({
  path: z.string(),
  /** As detected, and written to the file; null or empty without. */
  target: z.string().nullable(),
  setup: z.string().nullable(),
  /** The file of another tool that names the set-up; then the file waits for an approval. */
  setupFrom: z.string().nullable(),
  gate: z.string().nullable(),
  copy: z.array(z.string()),
})
export type InitDocument = z.infer<typeof InitDocument>

export const VersionDocument = z.object({ version: z.string() })
export type VersionDocument = z.infer<typeof VersionDocument>

/** The text of `--help`. */
export const HelpDocument = z.object({ help: z.string() })
export type HelpDocument = z.infer<typeof HelpDocument>
