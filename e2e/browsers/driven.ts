/** A browser that Playwright's Chromium is not, as its driver lets a test use it. */
export interface DrivenBrowser {
  goto(url: string): Promise<void>;
  /** Runs the body of a function in the page. @returns what it returns */
  run<T>(body: string, ...args: unknown[]): Promise<T>;
  /** Clicks the element that an XPath finds. @throws Error while it is not there or not to be clicked */
  click(xpath: string): Promise<void>;
  /** Chooses a file in the field that a selector finds. */
  choose(selector: string, file: string): Promise<void>;
  /** Uncaught errors of pages and workers so far; empty where the driver tells none. */
  errors(): Promise<string[]>;
  screenshot(path: string): Promise<void>;
  close(): Promise<void>;
}
