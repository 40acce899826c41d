/**
 * The button that lets this browser show notifications, also while the page is closed.
 *
 * A subscription knows one sender, and each home is one. So the worker is registered once for each home, at
 * the path of its page.
 */
import { useEffect, useState } from "react"
import { api } from "./api.ts"
import { Act } from "./controls.tsx"
import { BASE } from "./place.ts"

/** Absent where the page has neither TLS nor an address of this machine. */
const canSubscribe = "serviceWorker" in navigator && "PushManager" in window

const WORKER = "/service-worker.js"

type Policy = { createScriptURL(url: string): string }
type TrustedTypes = { createPolicy(name: string, rules: Policy): Policy }

const rules: Policy = { createScriptURL: () => WORKER }
const { trustedTypes } = window as { trustedTypes?: TrustedTypes }
/** The policy of content lets the page load this one worker. */
const policy = trustedTypes?.createPolicy("coppice", rules) ?? rules

export function PushButton() {
  const [isOn, setOn] = useState<boolean>()
  useEffect(() => {
    if (canSubscribe) void find().then((found) => setOn(found !== null))
  }, [])
  if (isOn === undefined) return null
  const change = async () => {
    await (isOn ? unsubscribe() : subscribe())
    setOn(!isOn)
  }
  return <Act name={isOn ? "Stop notifications" : "Notify me"} run={change} />
}

const register = () =>
  navigator.serviceWorker.register(policy.createScriptURL(WORKER), { scope: `${BASE}/` })

const find = async () => (await register()).pushManager.getSubscription()

async function subscribe(): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error("This browser does not allow notifications of this page.")
  const { key } = await api.push()
  const { pushManager } = await register()
  await navigator.serviceWorker.ready
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  const { endpoint = "", keys: { p256dh = "", auth = "" } = {} } = made.toJSON()
  await api.subscribe({ endpoint, p256dh, auth }).catch(async (error: unknown) => {
    await made.unsubscribe()
    throw error
  })
}

/** The daemon first: a browser that has forgotten its subscription cannot name it. */
async function unsubscribe(): Promise<void> {
  const found = await find()
  if (!found) return
  await api.unsubscribe({ endpoint: found.endpoint })
  await found.unsubscribe()
}

/** For a person who logs out. Other homes forget this browser when the push service says that it is gone. */
export async function unsubscribeAll(): Promise<void> {
  if (!canSubscribe) return
  await unsubscribe().catch(() => {})
  for (const { pushManager } of await navigator.serviceWorker.getRegistrations())
    await (await pushManager.getSubscription())?.unsubscribe()
}
