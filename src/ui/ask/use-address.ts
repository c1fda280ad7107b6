import { useEffect } from 'react';
import { useRoute } from 'wouter';
import { pagePath } from '../kit/page/page-root.ts';
import { ASK, formatAddress, parseAddress, placeOf } from './store/permalink.ts';
import { startRun } from './store/actions.ts';
import { checkLinkedSetup } from './store/linked-setup.ts';
import { addressOf, useAsk } from './store/ask-store.ts';
import { readsSummaries } from '../setup/reads-summaries.ts';
import { fitSummarizer } from '../setup/setup-store.ts';
import { openLinked } from './siblings/open-linked.ts';

/** Keeps the address bar and the parsed address in sync, including "back". */
export const useAddress = (): void => {
  const [ask] = useRoute(ASK);
  const address = useAsk((state) => state.address);
  useEffect(() => {
    if (!ask) return;
    const nextSearch = formatAddress(address);
    if (nextSearch === location.search) return;
    const before = parseAddress(location.search).address;
    // A new question is a new history entry; a step or a setting is not.
    const moved = placeOf(before) !== '' && placeOf(before) !== placeOf(address);
    const url = `${location.pathname}${nextSearch}`;
    if (moved && address.asked?.kind === 'world') history.pushState(null, '', url);
    else history.replaceState(null, '', url);
  }, [address, ask]);
  useEffect(() => {
    const onPop = () => {
      if (pagePath() !== ASK) return;
      const { address } = parseAddress(location.search);
      const { source, request } = useAsk.getState();
      const shown = placeOf({ of: addressOf(source), asked: request?.asked ?? null });
      if (address.of) {
        // The address has no question; the current one stays.
        const { settings, setup, asked } = useAsk.getState().address;
        useAsk.setState({ address: { ...address, settings, setup, asked }, selection: null });
        if (shown !== placeOf(address)) void openLinked(address.of);
        return;
      }
      useAsk.setState({ address, selection: null });
      if (source) useAsk.getState().clear();
      fitSummarizer(readsSummaries(address.settings.recipe));
      // The run of that address is no longer on the screen; it is repeated.
      void checkLinkedSetup().then((same) => {
        if (same && address.run && shown !== placeOf(address)) void startRun();
      });
    };
    addEventListener('popstate', onPop);
    return () => removeEventListener('popstate', onPop);
  }, []);
};
