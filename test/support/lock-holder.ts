/** Another process that holds a lock file until it is killed. */
import { spawn } from "node:child_process"
import { once } from "node:events"

const HOLD = `
  const [module, path] = process.argv.slice(1)
  const { tryLockFile } = await import(module)
  if (!tryLockFile(path)) process.exit(1)
  // The return value is not kept, and is collected: that must not release the lock.
  await new Promise((done) => setImmediate(done))
  globalThis.gc()
  await new Promise((done) => setImmediate(done))
  process.stdout.write("held")
  setInterval(() => {}, 1000)
`

export async function startLockHolder(path: string) {
  const module = new URL("../../src/kernel/store/open.ts", import.meta.url).href
  const args = ["--expose-gc", "--input-type=module", "-e", HOLD, module, path]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  const exited = once(child, "exit")
  const kill = async () => {
    child.kill("SIGKILL")
    await exited
  }
  await Promise.race([
    once(child.stdout, "data"),
    exited.then(() => Promise.reject(new Error("the lock holder did not get the lock"))),
  ])
  return { kill, [Symbol.asyncDispose]: kill }
}
