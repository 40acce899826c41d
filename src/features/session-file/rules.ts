/**
 * The file route: the session file of a worker that speaks no protocol. Pure.
 *
 * `{"status": "working" | "done" | "stuck", "text": "…", "lastHeartbeat": "<ISO 8601>"}`
 *
 * The status alone is enough. Unknown keys change nothing, and are reported.
 */
import { z } from "zod"

const SessionFile = z.object({
  status: z.enum(["working", "done", "stuck"]),
  /** The text for the status: progress, result or problem. */
  text: z.string().trim().min(1).max(20_000).optional(),
  lastHeartbeat: z.iso.datetime({ offset: true }).optional(),
})

export type FileReport = {
  readonly status: "working" | "done" | "stuck"
  readonly text: string | null
  readonly heartbeatAtMs: number | null
}

export type ParsedReport =
  /** `unknown`: ignored keys. */
  | { readonly kind: "ok"; readonly report: FileReport; readonly unknown: readonly string[] }
  /** `why` continues a sentence that names the file. */
  | { readonly kind: "invalid"; readonly why: string }

/** A worker's clock may be this far ahead of ours. */
const AHEAD_MS_MAX = 60_000

export function parseReport(text: string, nowMs: number): ParsedReport {
  const json = parseJson(text)
  if (json === undefined) return { kind: "invalid", why: "is not JSON (yet)" }
  const file = SessionFile.safeParse(json)
  if (!file.success) {
    const [issue] = file.error.issues
    const at = issue?.path.join(".")
    return {
      kind: "invalid",
      why: `${at ? `has a ${at} that ` : ""}is not valid: ${issue?.message}`,
    }
  }
  const { status, text: said = null, lastHeartbeat } = file.data
  const heartbeatAtMs = lastHeartbeat === undefined ? null : Date.parse(lastHeartbeat)
  if (heartbeatAtMs !== null && heartbeatAtMs > nowMs + AHEAD_MS_MAX)
    return { kind: "invalid", why: "has a lastHeartbeat in the future" }
  const unknown = Object.keys(json as object).filter((key) => !(key in SessionFile.shape))
  return { kind: "ok", report: { status, text: said, heartbeatAtMs }, unknown }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
