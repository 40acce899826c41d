/** Sends a notification to a browser by Web Push, encrypted for that browser alone (RFC 8291). */
import { createECDH } from "node:crypto"
import { startOf } from "../../../base/text/asked.ts"
import { homeKey } from "../../../kernel/store/home-keys.ts"
import type { Db } from "../../../kernel/store/open.ts"
import type { LinkAction } from "../../links/rules.ts"
import { noticeText } from "../rules/notices.ts"
import type { PostPush, PushAnswer } from "./endpoint.ts"
import type { PushSubscription } from "./rows.ts"

/** A notification that is older says nothing that the board does not. */
const TTL_S = 24 * 3_600
/** Push services take 4,096 bytes, with the frame of the encryption. */
const BODY_CHARS_MAX = 300
/** A push service may ask for an operator, but the sender is the person's own machine. */
const NO_OPERATOR = "https://coppice.invalid"

export type PushNotice = {
  readonly title: string
  readonly body: string
  /** A later notification with the same one takes its place. */
  readonly tag: string
  /** The page of the task, below the address of the dashboard. */
  readonly path: string
  readonly actions: readonly LinkAction[]
}

export function pushNotice(
  task: Parameters<typeof noticeText>[0],
  asked: readonly { readonly action: LinkAction }[],
): PushNotice {
  const actions = [...new Set(asked.map(({ action }) => action))]
  const [tag, path] = [`task-${task.id}`, `/#/task/${task.id}`]
  return { title: "Coppice", body: startOf(noticeText(task), BODY_CHARS_MAX), tag, path, actions }
}

/** The keys by which push services know this home (VAPID, RFC 8292). */
export function pushKeys(db: Db): { readonly publicKey: string; readonly privateKey: string } {
  const make = () => {
    const pair = createECDH("prime256v1")
    const publicKey = pair.generateKeys("base64url")
    // A key that begins with zeros is shorter.
    const privateKey = Buffer.from(pair.getPrivateKey("hex").padStart(64, "0"), "hex")
    return JSON.stringify({ publicKey, privateKey: privateKey.toString("base64url") })
  }
  return JSON.parse(homeKey(db, "push", make))
}

type Sending = {
  readonly post: PostPush
  readonly subject: string | undefined
  readonly signal: AbortSignal
}

/** @throws when the push service cannot be reached. */
export async function sendPush(
  db: Db,
  { endpoint, ...keys }: PushSubscription,
  notice: PushNotice,
  { post, subject, signal }: Sending,
): Promise<PushAnswer> {
  const { generateRequestDetails } = (await import("web-push")).default
  const operator = subject?.startsWith("https:") ? subject : NO_OPERATOR
  const request = generateRequestDetails({ endpoint, keys }, JSON.stringify(notice), {
    vapidDetails: { subject: operator, ...pushKeys(db) },
    TTL: TTL_S,
    urgency: "high",
  })
  return await post(endpoint, { headers: request.headers, body: request.body, signal })
}
