/** `coppice up --host`: the dashboard for other devices, encrypted, and for sessions of browsers alone. */
import { execFileSync, spawnSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { get, type RequestOptions } from "node:https"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { expect, test } from "vitest"
import { LoginLinkDocument } from "../../src/api/wire/browser.ts"
import { withBrowser } from "../support/browser.ts"
import { Fleet } from "../support/fleet.ts"
import { waitFor } from "../support/wait-for.ts"

/** Another address of this machine. */
const HOST = "127.0.0.2"
const { browserTest, openPage } = withBrowser()
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0
const certificateTest = test.skipIf(!hasOpenssl)

/** A daemon that other devices reach. */
async function reach(fleet: Fleet) {
  const [cert, key] = ["cert.pem", "key.pem"].map((name) => join(fleet.home.path, name))
  const subject = ["-subj", `/CN=${HOST}`, "-addext", `subjectAltName=IP:${HOST}`]
  const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
  const files = ["-keyout", key!, "-out", cert!]
  execFileSync("openssl", ["req", "-x509", ...made, ...subject, ...files], { stdio: "ignore" })
  const ended = fleet.coppice("up", "--host", HOST, "--tls-cert", cert!, "--tls-key", key!)
  await waitFor("the daemon", async () => (await fleet.client.status()).running)
  const { elsewhere } = await fleet.json(LoginLinkDocument, ["ui"])
  const answer = async (path: string, options: RequestOptions = {}) => {
    const url = new URL(path, elsewhere!)
    const given = { ...options, ca: readFileSync(cert!), checkServerIdentity: () => undefined }
    return await new Promise<{ status: number; body: string }>((resolve, reject) => {
      get(url, given, async (response) =>
        resolve({ status: response.statusCode!, body: await text(response) }),
      ).on("error", reject)
    })
  }
  return { link: elsewhere!, answer, ended }
}

test("beyond this machine, the dashboard has TLS or the word that a proxy has it [38.32]", async () => {
  await using fleet = new Fleet()
  const refusals = [
    [["--host", "0.0.0.0"], "others could read along"],
    [["--host", "0.0.0.0", "--tls-cert", "a.pem"], "others could read along"],
    [["--host", HOST, "--behind-proxy"], "dashboard.url"],
    [["--host", HOST, "--tls-cert", "a.pem", "--tls-key", "b.pem"], "a.pem cannot be read"],
    [["--host", "box.lan", "--behind-proxy"], "not an IP address"],
    [["--host", HOST, "--behind-proxy", "-d"], "in the foreground"],
    [["--behind-proxy"], "need --host"],
    [["--host", "::0", "--tls-cert", "a.pem", "--tls-key", "b.pem"], "need a name"],
    [["--host", "203.0.113.1", "--behind-proxy"], "dashboard.url"],
  ] as const
  for (const [options, words] of refusals) {
    const { code, stderr } = await fleet.coppice("up", ...options)
    expect(stderr).toContain(words)
    expect(code).toBe(2)
  }
  expect((await fleet.client.status()).running).toBe(false)
})

certificateTest("a token of this machine opens nothing from another device [38.32]", async () => {
  await using fleet = new Fleet()
  const { answer, ended } = await reach(fleet)
  const { address } = await fleet.client.status()
  const [record] = globSync(join(fleet.home.path, "**/coppice/*/daemon.json"))
  const { token } = JSON.parse(readFileSync(record!, "utf8"))
  const headers = { authorization: `Bearer ${token}` }
  expect((await fetch(`${address}/tasks`, { headers })).status).toBe(200)
  for (const path of ["/tasks", "/agent/brief", "/metrics", "/openapi.json"])
    expect((await answer(path, { headers })).status, path).toBe(401)
  expect((await answer("/")).body).toContain("<title>Coppice</title>")
  expect((await answer("/", { headers: { host: "evil.example" } })).status).toBe(401)
  await fleet.coppice("down")
  expect((await ended).stderr).toContain("can do there what you can, in all your homes")
})

browserTest("a browser of another device logs in with the link, and is live [38.32]", async () => {
  if (!hasOpenssl) throw new Error("openssl is needed here")
  await using fleet = new Fleet({ repo: { gate: false } })
  const { link, ended } = await reach(fleet)
  await fleet.until(await fleet.start("echo a > a.txt", "--title", "First"))
  const page = await openPage({ ignoreHTTPSErrors: true })
  await page.goto(link)
  await page.getByRole("status").getByText(/^Live/).waitFor()
  await page.getByText("complete").waitFor()
  const cookies = await page.context().cookies()
  expect(cookies).toMatchObject([{ secure: true, httpOnly: true, sameSite: "Strict" }])
  await fleet.coppice("down")
  expect((await ended).code).toBe(0)
})
