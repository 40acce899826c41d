/** Every document of HTTP and of `--json` by its name. Types and the published schemas come from here. */
import { z } from "zod"
import * as agent from "./agent.ts"
import * as browser from "./browser.ts"
import * as eventTypes from "./event-types.ts"
import * as events from "./events.ts"
import * as files from "./files.ts"
import * as home from "./home.ts"
import * as landings from "./landings.ts"
import * as queries from "./queries.ts"
import * as requests from "./requests.ts"
import * as rescues from "./rescues.ts"
import * as schedules from "./schedules.ts"
import * as shell from "./shell.ts"
import * as sources from "./sources.ts"
import * as stats from "./stats.ts"
import * as tasks from "./tasks.ts"
import * as terminal from "./terminal.ts"
import * as torture from "./torture.ts"
import * as work from "./work.ts"
import * as worktrees from "./worktrees.ts"

export const SCHEMAS = {
  ...tasks,
  ...requests,
  ...events,
  KnownEventDocument: eventTypes.KnownEventDocument,
  ...landings,
  ...rescues,
  ...schedules,
  ...home,
  ...worktrees,
  ...agent,
  ...torture,
  ...stats,
  ...work,
  ...sources,
  ...queries,
  ...files,
  ...shell,
  ...terminal,
  LoginLinkRequest: browser.LoginLinkRequest,
  LoginLinkDocument: browser.LoginLinkDocument,
  DemoDocument: browser.DemoDocument,
  PushSubscriptionRequest: browser.PushSubscriptionRequest,
  PushEndpoint: browser.PushEndpoint,
  PushDocument: browser.PushDocument,
  /** A request without parameters. */
  Nothing: z.strictObject({}),
  /** A long request was accepted; `operation` is followed to its answer. Absent: it has ended. */
  OperationDocument: z.object({ operation: z.string().optional() }),
}

type Schemas = typeof SCHEMAS
export type SchemaName = keyof Schemas

/** A document as its sender writes it. */
export type Sent<Name extends SchemaName> = z.input<Schemas[Name]>
/** The same as its receiver has it, with the defaults. */
export type Received<Name extends SchemaName> = z.output<Schemas[Name]>
