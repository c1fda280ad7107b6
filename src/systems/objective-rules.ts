/** All rules of the loss, in the order in which they act; the threads of the trainer import them too. */
import './diversity/define.ts';
import './fspo/define.ts';
import './gppo/define.ts';
import './parts/masks.ts';
