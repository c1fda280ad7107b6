import type { InspectionApi } from '../../runs/inspection/messages.ts';
import { lab } from '../stores/connection.ts';

/** Where the reader gets imported rollouts from. */
export const inspection = (): InspectionApi => lab().inspection;
