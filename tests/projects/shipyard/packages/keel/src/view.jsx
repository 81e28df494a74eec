export const View = () => <a />
