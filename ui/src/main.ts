import './app.css';
