// A shared library that is no plug-in.
int nfx_not_a_plugin(void);
int nfx_not_a_plugin(void) { return 1; }
