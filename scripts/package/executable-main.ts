/** Starts the single executable, in which Node finds this as its only module. */
import { launch } from "../../src/launch.ts"

void launch().then((code) => {
  process.exitCode = code
})
