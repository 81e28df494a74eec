// The style sheets: beside.css first, as others add to it. base.css and code.css are those of the static views;
// the wheel puts them beside this file.

export default async function create() {
  for (const name of ["beside", "answers", "base", "code", "controls", "offer", "proposal", "views"]) {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL(`${name}.css`, import.meta.url);
    document.head.append(link);
  }
}
