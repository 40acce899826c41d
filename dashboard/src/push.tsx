/** The button that lets this browser show notifications, also while the page is closed. */
import { useEffect, useState } from "react"
import { api } from "./api.ts"
import { Act } from "./controls.tsx"

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

async function find(): Promise<PushSubscription | null> {
  const worker = await navigator.serviceWorker.register(policy.createScriptURL(WORKER))
  return await worker.pushManager.getSubscription()
}

async function subscribe(): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error("This browser does not allow notifications of this page.")
  const { key } = await api.push()
  const { pushManager } = await navigator.serviceWorker.ready
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  const { endpoint = "", keys: { p256dh = "", auth = "" } = {} } = made.toJSON()
  await api.subscribe({ endpoint, p256dh, auth }).catch(async (error: unknown) => {
    await made.unsubscribe()
    throw error
  })
}

/** The daemon first: a browser that has forgotten its subscription cannot name it. */
export async function unsubscribe(): Promise<void> {
  const found = canSubscribe ? await find() : null
  if (!found) return
  await api.unsubscribe({ endpoint: found.endpoint })
  await found.unsubscribe()
}
