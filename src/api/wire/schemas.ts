/** Every document of HTTP and of `--json` by its name. Types and the published schemas come from here. */
import { z } from "zod"
import { DOCUMENTS } from "../../declared/schemas.ts"
import * as worktrees from "../../features/clean-up/wire.ts"
import * as files from "../../features/files/wire.ts"
import * as rescues from "../../features/recover/wire.ts"
import * as schedules from "../../features/schedules/wire.ts"
import * as sources from "../../features/sources/wire.ts"
import * as stats from "../../features/stats/wire.ts"
import * as terminal from "../../features/terminals/wire.ts"
import * as torture from "../../features/torture/wire.ts"
import * as agent from "./agent.ts"
import * as browser from "./browser.ts"
import * as eventTypes from "./event-types.ts"
import * as events from "./events.ts"
import * as home from "./home.ts"
import * as landings from "./landings.ts"
import * as queries from "./query-parameters.ts"
import * as requests from "./requests.ts"
import * as shell from "./shell.ts"
import * as tasks from "./tasks.ts"
import * as work from "./work.ts"

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
  ...DOCUMENTS,
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
