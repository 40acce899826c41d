/** An image for the tests of messages with files. */
import type { Page } from "playwright-core"

/** A PNG of one pixel, in base64. */
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** Pastes it as `shot.png` where the page has its focus. */
export async function pasteImage(page: Page): Promise<void> {
  await page.evaluate(`{
    const bytes = Uint8Array.from(atob("${PIXEL}"), (char) => char.charCodeAt(0))
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File([bytes], "shot.png", { type: "image/png" }))
    const paste = { clipboardData, bubbles: true, cancelable: true }
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", paste))
  }`)
}
