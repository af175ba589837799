// The navigation shows the pages of each section until the reader closes it. TypeDoc begins with closed sections.
for (const section of ["Start", "Guides", "Operation", "Reference", "Design", "Packages"]) {
  const key = `tsd-accordion-${section}`
  if (localStorage.getItem(key) === null) localStorage.setItem(key, "true")
}
