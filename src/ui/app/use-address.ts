import { useEffect } from 'react';
import { useRoute } from 'wouter';
import { formatAddress, parseAddress } from '../stores/permalink.ts';
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
      if (location.pathname !== '/') return;
      useView.setState({ address: parseAddress(location.search).address });
    };
    addEventListener('popstate', onPop);
    return () => removeEventListener('popstate', onPop);
  }, []);
};

const idOf = (asked: { kind: string; id?: string; text?: string } | null): string =>
  asked === null ? '' : (asked.id ?? 'typed');
