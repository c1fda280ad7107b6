export { issueOf as explain } from '../data/issue.ts';
