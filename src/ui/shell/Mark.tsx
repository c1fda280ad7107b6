/** The mark: a question that branches into rollouts, one of which found the berry. The icon in `index.html` is the same. */
export const Mark = () => (
  <svg className="mark" width={18} height={18} viewBox="0 0 16 16" aria-hidden="true">
    <rect width={16} height={16} rx={4} fill="#4b3bb3" />
    <path
      d="M2.5 8h2.6M5.1 8c3 0 2.4-4.4 5-4.4M5.1 8h5M5.1 8c3 0 2.4 4.4 5 4.4"
      fill="none"
      stroke="#fff"
      strokeWidth={1.4}
      strokeLinecap="round"
    />
    <circle cx={12} cy={3.6} r={1.5} fill="none" stroke="#fff" strokeWidth={1.2} />
    <circle cx={12.2} cy={8} r={2.1} fill="#ffd25e" />
    <circle cx={12} cy={12.4} r={1.5} fill="none" stroke="#fff" strokeWidth={1.2} />
  </svg>
);
