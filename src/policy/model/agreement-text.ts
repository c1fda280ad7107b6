/** Tokens of the text that packed weights are compared with their checkpoint on. */
export const AGREEMENT_TOKENS = 256;

/** Plain English of several kinds: narration, facts with figures, a question, a list, some code. */
export const AGREEMENT_TEXT = `The lighthouse at the end of the bay was built in 1874, after two ships had been lost on the rocks in one winter. It stands 38 metres high, and its lamp can be seen from a distance of about thirty kilometres. For more than a hundred years a keeper lived there with his family; since 1983 it has worked by itself, and an engineer comes once a month to look after it.

"Did nobody miss the keeper?" asked the girl.

"The birds did," said her grandfather, and laughed. "He used to feed them every morning, in any weather. When he left, they sat on the railing for weeks and waited."

Water boils at 100 degrees Celsius at sea level, but at a lower temperature in the mountains, because the pressure of the air is lower there. This is why it takes longer to cook rice on a high pass than in a harbour.

Question: Which river flows through both Vienna and Budapest?
Answer: The Danube. It rises in the Black Forest in Germany and flows east for some 2,850 kilometres before it reaches the Black Sea.

To make bread for four people you need:
1. 500 grams of flour
2. 300 millilitres of warm water
3. 10 grams of salt
4. a little yeast
Mix everything, let the dough rest for two hours, and bake it until the crust is brown.

function total(prices) {
  let sum = 0;
  for (const price of prices) sum += price;
  return sum;
}

In the end the committee decided, by seven votes to two, that the old bridge should be repaired rather than replaced.`;
