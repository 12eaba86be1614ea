//! What a desktop does with windows: closes them by their frame, gives them the focus or takes it, brings keys to whichever
//! has it, and shows their titles. The screen of the tests has no window manager, so this is its place.

use x11rb::COPY_DEPTH_FROM_PARENT;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, InputFocus,
    KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MapState, Window, WindowClass,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

x11rb::atom_manager! {
    /// The names that windows and desktops agree on (ICCCM, EWMH).
    Names: NamesCookie {
        WM_PROTOCOLS,
        WM_DELETE_WINDOW,
        _NET_WM_NAME,
        UTF8_STRING,
    }
}

/// Keys, as X names them.
pub mod key {
    /// Leaves a dialog.
    pub const ESCAPE: u32 = 0xff1b;
    /// Presses what has the focus.
    pub const RETURN: u32 = 0xff0d;
    /// Goes to the next thing.
    pub const TAB: u32 = 0xff09;
    /// Held down, it turns keys round.
    pub const SHIFT: u32 = 0xffe1;
    /// Held down, it makes commands of keys.
    pub const CONTROL: u32 = 0xffe3;
}

/// The desktop of the tests' screen.
pub struct Desktop {
    screen: RustConnection,
    root: Window,
    /// Another program's window.
    other: Window,
    names: Names,
}

impl Desktop {
    /// Joins the screen that the tests run on.
    #[expect(
        clippy::new_without_default,
        reason = "it opens a connection and a window"
    )]
    pub fn new() -> Self {
        let (screen, number) = x11rb::connect(None).expect("a screen");
        let root = screen.setup().roots[number].root;
        let names = Names::new(&screen)
            .expect("names")
            .reply()
            .expect("names are known");
        let other = screen.generate_id().expect("an id");
        screen
            .create_window(
                COPY_DEPTH_FROM_PARENT,
                other,
                root,
                0,
                0,
                20,
                20,
                0,
                WindowClass::INPUT_OUTPUT,
                0,
                &CreateWindowAux::new(),
            )
            .expect("a window");
        let desktop = Self {
            screen,
            root,
            other,
            names,
        };
        desktop.done();
        desktop
    }

    /// The titles of the windows that are shown.
    pub fn titles(&self) -> Vec<String> {
        let shown = self.shown().into_iter();
        shown.map(|(_, title)| title).collect()
    }

    /// Asks the window of this title to close, as the button of its frame does.
    ///
    /// # Panics
    /// There is none.
    pub fn close(&self, title: &str) {
        let window = self.window(title);
        let message = ClientMessageEvent::new(
            32,
            window,
            self.names.WM_PROTOCOLS,
            [self.names.WM_DELETE_WINDOW, 0, 0, 0, 0],
        );
        self.screen
            .send_event(false, window, EventMask::NO_EVENT, message)
            .expect("it is sent");
        self.done();
    }

    /// Gives the focus to the window of this title.
    ///
    /// # Panics
    /// There is none.
    pub fn focus(&self, title: &str) {
        self.give_focus(self.window(title));
    }

    /// Gives the focus to another program, which lies before everything.
    pub fn leave(&self) {
        self.screen.map_window(self.other).expect("it is shown");
        // Whose window is under the pointer may count as having the focus.
        self.screen
            .warp_pointer(x11rb::NONE, self.other, 0, 0, 0, 0, 10, 10)
            .expect("the pointer moves");
        self.done();
        self.give_focus(self.other);
    }

    /// Presses a key, with those that are held down meanwhile.
    pub fn press(&self, held: &[u32], symbol: u32) {
        for one in held.iter().chain([&symbol]) {
            self.key(KEY_PRESS_EVENT, *one);
        }
        for one in [&symbol].into_iter().chain(held.iter().rev()) {
            self.key(KEY_RELEASE_EVENT, *one);
        }
        self.done();
    }

    fn key(&self, kind: u8, symbol: u32) {
        let code = self.code_of(symbol);
        self.screen
            .xtest_fake_input(kind, code, 0, self.root, 0, 0, 0)
            .expect("a key");
    }

    fn code_of(&self, symbol: u32) -> u8 {
        let setup = self.screen.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let keys = self
            .screen
            .get_keyboard_mapping(first, last - first + 1)
            .expect("a keyboard")
            .reply()
            .expect("a keyboard");
        let of_each = usize::from(keys.keysyms_per_keycode);
        let place = keys
            .keysyms
            .chunks(of_each)
            .position(|symbols| symbols.contains(&symbol))
            .expect("such a key");
        first + u8::try_from(place).expect("a key's number")
    }

    fn give_focus(&self, window: Window) {
        self.screen
            .set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME)
            .expect("the focus moves");
        self.done();
    }

    fn window(&self, title: &str) -> Window {
        let shown = self.shown();
        let found = shown.iter().find(|(_, name)| name == title);
        match found {
            Some((window, _)) => *window,
            None => panic!("no window is called {title:?}: {shown:?}"),
        }
    }

    /// The windows that have a title and are shown.
    fn shown(&self) -> Vec<(Window, String)> {
        let tree = self.screen.query_tree(self.root).expect("the windows");
        let windows = tree.reply().expect("the windows").children;
        let titled = windows.into_iter().filter_map(|window| {
            // Any may be gone by now.
            let seen = self.screen.get_window_attributes(window).ok()?;
            if seen.reply().ok()?.map_state != MapState::VIEWABLE {
                return None;
            }
            let title = self
                .screen
                .get_property(
                    false,
                    window,
                    self.names._NET_WM_NAME,
                    AtomEnum::ANY,
                    0,
                    1024,
                )
                .ok()?
                .reply()
                .ok()?;
            let title = String::from_utf8_lossy(&title.value).into_owned();
            (!title.is_empty()).then_some((window, title))
        });
        titled.collect()
    }

    /// Waits until the screen has done all that was asked of it.
    fn done(&self) {
        let asked = self.screen.get_input_focus().expect("the screen answers");
        asked.reply().expect("the screen answers");
    }
}
