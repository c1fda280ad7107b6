import type { InspectionApi } from '../../../../lab/rollouts/index.ts';
import { lab } from '../../../lab/connection.ts';

/** Where the reader gets imported rollouts from. */
export const inspection = (): InspectionApi => lab().inspection;
