import { useEffect } from 'react';
import { useRoute } from 'wouter';
import { pagePath } from '../lib/page-root.ts';
import { formatAddress, parseAddress } from '../stores/permalink.ts';
import { startRun } from '../stores/actions.ts';
import { checkLinkedSetup } from '../stores/linked-setup.ts';
import { useRun } from '../stores/run-store.ts';
import { useView } from '../stores/view-store.ts';

/** Keeps the address bar and the view's address the same; "back" restores the earlier one. */
export const useAddress = (): void => {
  const [inspect] = useRoute('/');
  const address = useView((state) => state.address);
  useEffect(() => {
    if (!inspect) return;
    const wanted = formatAddress(address);
    if (wanted === location.search) return;
    const before = parseAddress(location.search).address;
    // A new question is a new place to come back to; a step or a setting is not.
    const moved = before.asked !== null && idOf(before.asked) !== idOf(address.asked);
    const url = `${location.pathname}${wanted}`;
    if (moved && address.asked?.kind === 'world') history.pushState(null, '', url);
    else history.replaceState(null, '', url);
  }, [address, inspect]);
  useEffect(() => {
    const onPop = () => {
      if (pagePath() !== '/') return;
      const { address } = parseAddress(location.search);
      useView.setState({ address, selection: null });
      // The run of that address is not on the screen any more; it is run again.
      const shown = useRun.getState().request?.asked ?? null;
      void checkLinkedSetup().then((same) => {
        if (same && address.run && idOf(shown) !== idOf(address.asked)) void startRun();
      });
    };
    addEventListener('popstate', onPop);
    return () => removeEventListener('popstate', onPop);
  }, []);
};

const idOf = (asked: { kind: string; id?: string; text?: string } | null): string =>
  asked === null ? '' : (asked.id ?? 'typed');
