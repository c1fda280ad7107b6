export { issueOf as explain } from './issue.ts';
