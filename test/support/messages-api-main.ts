/**
 * Runs the double as a process: `node messages-api-main.ts <script module> [port]`.
 *
 * The module's default export is the script. The first line on stdout is the address. It ends with
 * its standard input, so that it never outlives who started it.
 */
import { pathToFileURL } from "node:url"
import { MessagesApi } from "./messages-api.ts"

const [module, port = "0"] = process.argv.slice(2)
if (!module) throw new Error("usage: node messages-api-main.ts <script module> [port]")
const { default: script } = await import(pathToFileURL(module).href)
const api = await MessagesApi.start(script, Number(port))
console.log(api.url)
process.stdin.resume().once("end", () => process.exit(0))
