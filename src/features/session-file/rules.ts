/**
 * The file route: the session file of a worker that speaks no protocol. Pure.
 *
 * `{"status": "working", "text": "…", "stuckReason": "…", "lastHeartbeat": "<ISO 8601>"}`
 *
 * The status alone is enough. Unknown keys change nothing, and are reported.
 */
import { z } from "zod"

/** The words for `status`. All but `done`, `complete` and `stuck` are progress, and set no state. */
// biome-ignore format: a list reads best as one
const STATUSES = [
  "planning", "planning_complete", "working", "shipping", "reviews_in_progress", "pr_ready",
  "done", "complete", "stuck",
] as const

/** Null where there is nothing to say. */
const words = z.string().trim().max(20_000).nullish()

const SessionFile = z.object({
  status: z.enum(STATUSES),
  /** The text for the status: progress, result or problem. */
  text: words,
  /** The problem; stays without effect while the status is another one. */
  stuckReason: words,
  lastHeartbeat: z.iso.datetime({ offset: true }).nullish(),
})

export type FileReport = {
  readonly kind: "progress" | "done" | "stuck"
  readonly text: string
  readonly heartbeatAtMs: number | null
}

export type ParsedReport =
  /** `unknown`: ignored keys. */
  | { readonly kind: "ok"; readonly report: FileReport; readonly unknown: readonly string[] }
  /** Perhaps the worker is writing it. `why` continues a sentence that names the file. */
  | { readonly kind: "invalid" | "torn"; readonly why: string }

/** A worker's clock may be this far ahead of ours. */
const AHEAD_MS_MAX = 60_000

/** A report is a few lines. */
export const REPORT_BYTES_MAX = 64 * 1024

/** @param text undefined if it cannot be read. */
export function parseReport(text: string | undefined, nowMs: number): ParsedReport {
  if (text === undefined)
    return { kind: "torn", why: `is not a plain file of at most ${REPORT_BYTES_MAX} bytes` }
  const json = parseJson(text)
  if (json === undefined) return { kind: "torn", why: "is not JSON" }
  const file = SessionFile.safeParse(json)
  if (!file.success) {
    const [issue] = file.error.issues
    const at = issue?.path.join(".")
    return {
      kind: "invalid",
      why: `${at ? `has a ${at} that ` : ""}is not valid: ${issue?.message}`,
    }
  }
  const { lastHeartbeat } = file.data
  const heartbeatAtMs = lastHeartbeat ? Date.parse(lastHeartbeat) : null
  if (heartbeatAtMs !== null && heartbeatAtMs > nowMs + AHEAD_MS_MAX)
    return { kind: "invalid", why: "has a lastHeartbeat in the future" }
  const unknown = Object.keys(json as object).filter((key) => !(key in SessionFile.shape))
  return { kind: "ok", report: { ...reportOf(file.data), heartbeatAtMs }, unknown }
}

type Said = Pick<FileReport, "kind" | "text">

function reportOf({ status, text, stuckReason }: z.infer<typeof SessionFile>): Said {
  const said = text || `its session file says ${status.replaceAll("_", " ")}`
  if (status === "stuck") return { kind: status, text: stuckReason || said }
  return { kind: status === "done" || status === "complete" ? "done" : "progress", text: said }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
