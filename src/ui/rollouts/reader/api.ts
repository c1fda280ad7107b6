import type { InspectionApi } from '../../../lab/rollouts/messages.ts';
import { lab } from '../../shell/store/connection.ts';

/** Where the reader gets imported rollouts from. */
export const inspection = (): InspectionApi => lab().inspection;
