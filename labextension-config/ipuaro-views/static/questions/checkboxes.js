// The checkboxes of changes and files.

// The numbers that a checkbox stands for: "3", "5-9", or "1,5-9".
export function numbers(box) {
  const range = ([first, last = first]) => Array.from({ length: last - first + 1 }, (_, place) => first + place);
  return box.value.split(",").flatMap((part) => range(part.split("-").map(Number)));
}
