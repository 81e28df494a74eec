export { Channel } from "./channel";
export type { Message } from "./channel";
export { EmailChannel } from "./email";
export { Notifier } from "./notifier";
