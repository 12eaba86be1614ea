/** An entry of a menu. */
export interface MenuItem {
  label: string;
  onselect: () => void;
  danger?: boolean;
  disabled?: boolean;
  /** Drawn with a mark: the present choice. */
  checked?: boolean;
  /** A line above it. */
  separated?: boolean;
}
