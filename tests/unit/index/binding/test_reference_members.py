"""Where members are used: a method is told apart by what it is called on."""

import pytest


@pytest.mark.parametrize(
    "line",
    [
        "Named.make()",
        "this.own()",
        "new Named().own()",
        "const n = new Named(); n.own()",
    ],
)
def test_the_own_name_of_a_class_expression_is_known_inside_it(uses, line):
    """Outside it is no name at all: the members are those of what the class is bound to."""
    inside = (
        f"const A = class Named {{\n  static make() {{}}\n  own() {{}}\n  go() {{ {line} }}\n}}\n"
    )
    member = "make" if "make" in line else "own"
    found = uses({"a.ts": f"{inside}Named.make()\nNamed.own()\n"}, f"A.{member}")
    assert f"a.ts:4:{10 + line.index(member)}" in found
    assert not [mark for mark in found if mark.startswith(("a.ts:6", "a.ts:7"))]


PROPS = "export interface Props { label: string }\nexport interface Other { label: string }\n"


@pytest.mark.parametrize(
    "component",
    [
        "export function Box(props: Props) { return props.label }",
        "export function Box({ label }: Readonly<Props>) { return label }",
        "export const Box = ({ label }: Props) => label",
        "import { PropsWithChildren as P } from 'react'; export const Box = (p: P<Props>) => null",
        "export class Box extends React.Component<Props, {}> {}",
        "import React from 'react'; export class Box extends React.Component<Props> {}",
        "export default function Box(props: Props) { return null }",
        "import { FC } from 'react'; export const Box: FC<Props> = () => null",
        "import * as React from 'react'; export const Box: React.FunctionComponent<Props> = f",
        "import React from 'react'; function A(p: Props) {} export const Box = React.memo(A)",
        "import { memo } from 'react'; export const Box = memo(({ label }: Props) => null)",
        "import { memo } from 'react'; export const Box = memo<Props>(p => null)",
        "import { forwardRef } from 'react'; export const Box = forwardRef<Ref, Props>(f)",
        "import { forwardRef as f } from 'react'; export const Box = f((p: Props, ref) => null)",
        "import React from 'react'; function A(p: Props) {} export default React.memo(A)",
        "export default ({ label }: Props) => null",
        "export function Box<T>(props: Props & { items: T[] }) { return null }",
        "export const Box = <T,>(props: Props) => null",
        "export class Box<P extends Props = Props> extends Base<P> {}; class Base<P> { props!: P }",
    ],
)
@pytest.mark.parametrize("element", ["<Box label='a' />", "<Box label={1}></Box>"])
def test_an_attribute_of_an_element_is_the_property_of_its_component(uses, component, element):
    name = "Box" if "default" in component else "{ Box }"
    files = {
        "props.ts": PROPS,
        "box.tsx": f"import {{ Props }} from './props'\n{component}\n",
        "use.tsx": f"import {name} from './box'\nexport const a = {element}\n",
    }
    assert f"use.tsx:2:{18 + element.index('label')}" in uses(files, "Props.label")


@pytest.mark.parametrize("element", ["<div label='a' />", "<Unknown label='a' />"])
def test_an_attribute_of_another_element_is_not(uses, element):
    files = {"props.ts": PROPS, "use.tsx": f"export const a = {element}\n"}
    assert [mark for mark in uses(files, "Props.label") if "use" in mark] == []


LITERAL = (
    "import { Props } from 'far'\n"
    "export const props: Props = { label: '' }\n"
    "props.label\n"
    "const label = 1\n"
)


@pytest.mark.parametrize("symbol", ["props.label", "nothing.label"])
def test_places_with_the_name_are_listed_where_no_declaration_is_known(make_index, symbol):
    index, _ = make_index({"a.ts": LITERAL})
    found = index.uses(symbol, limit=None)
    assert found.total == 0
    assert not found.declared
    assert [one.line for one in found.unresolved] == [2, 3]
