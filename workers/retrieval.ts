import { openCollections } from '../src/lab/corpus/collections/store.ts';
import { EncoderStore } from '../src/lab/models/encoder-store.ts';
import { IndexStore } from '../src/lab/corpus/index-store.ts';
import { LearnedStore } from '../src/lab/corpus/learned-store.ts';
import { VectorStore } from '../src/lab/corpus/vector-store.ts';
import { freeDeleted } from '../src/lab/storage/free-deleted.ts';
import { OpfsBlobs } from '../src/lab/storage/opfs.ts';
import { RetrievalHost } from '../src/lab/corpus/retrieval/retrieval-host.ts';
import { serve } from '../src/lab/rpc/serve.ts';

/** The retrieval worker: encoder, indexes, fusion, and the web corpus shard by shard. */

const encoders = new EncoderStore(new OpfsBlobs());
freeDeleted([(before) => encoders.purge(before)]);

serve(
  new RetrievalHost({
    passages: (ids) => openCollections().passagesOf(ids),
    indexCache: new IndexStore(new OpfsBlobs()),
    vectorCache: new VectorStore(),
    learnedCache: new LearnedStore(),
    encoders,
  }),
);
